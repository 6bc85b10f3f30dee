import { Command } from 'commander';
import { migrate } from '../../db/migrations.ts';
import { openStore } from '../../store.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('update the database schema; "serve" does this automatically')
    .option('--json', 'print the applied migrations as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe migrate')
    .action(async ({ json, ...options }: SettingsOptions & { json?: boolean }) => {
      const store = await openStore(configFor(options), { mode: 'create', log: tell });
      try {
        const names = await migrate(store.database);
        if (json) return print(JSON.stringify({ migrated: names }));
        for (const name of names) print(`Applied migration ${name}`);
        if (names.length === 0) print('The schema is up to date.');
      } finally {
        await store.close();
      }
    });
}
