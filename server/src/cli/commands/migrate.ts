import { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { migrate } from '../../db/migrations.ts';
import { openStore } from '../../store.ts';
import { print, tell } from '../output/output.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('update the database schema; "serve" does this automatically')
    .option('--json', 'print the applied migrations as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe migrate')
    .action(async ({ json }: { json?: boolean }) => {
      const store = await openStore(readConfig(process.env), { mode: 'create', log: tell });
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
