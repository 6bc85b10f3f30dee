import { Command } from 'commander';
import { prefix, readConfig, settings } from '../config.ts';
import type { Setting } from '../settings.ts';
import { print } from './output.ts';

export function configCommand(): Command {
  return new Command('config')
    .description('show every setting that is in force, secrets masked')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: boolean }) => {
      const config = readConfig(process.env);
      const rows = Object.entries(settings).map(([name, some]) => {
        const setting = some as Setting<unknown>;
        const value = setting.show(config[name as keyof typeof config]);
        return { name: prefix + name, value, about: setting.about, takes: setting.takes };
      });
      if (json) return print(JSON.stringify(rows, null, 2));
      const width = Math.max(...rows.map((row) => row.name.length + row.value.length)) + 1;
      for (const { name, value, about } of rows) print(`${`${name}=${value}`.padEnd(width)}  # ${about}`);
    });
}
