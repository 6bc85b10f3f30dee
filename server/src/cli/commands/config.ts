import { Command } from 'commander';
import { misspeltSettings, prefix, readConfig, refuseMisspelt, settings } from '../../config.ts';
import type { Setting } from '../../settings.ts';
import { print } from '../output/output.ts';

export function configCommand(): Command {
  return new Command('config')
    .description('show all settings with their current values; secrets are masked')
    .option('--json', 'print the settings as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe config | grep HASH')
    .action(({ json }: { json?: boolean }) => {
      const misspelt = misspeltSettings(process.env);
      const rest = Object.entries(process.env).filter(([name]) => !misspelt.includes(name));
      const config = readConfig(Object.fromEntries(rest));
      const rows = Object.entries(settings).map(([name, some]) => {
        const setting = some as Setting<unknown>;
        const value = setting.show(config[name as keyof typeof config]);
        return { name: prefix + name, value, about: setting.about, takes: setting.takes };
      });
      if (json) print(JSON.stringify(rows, null, 2));
      else show(rows);
      refuseMisspelt(misspelt);
    });
}

function show(rows: readonly { name: string; value: string; about: string }[]): void {
  const width = Math.max(...rows.map((row) => row.name.length + row.value.length)) + 1;
  for (const { name, value, about } of rows) print(`${`${name}=${value}`.padEnd(width)}  # ${about}`);
}
