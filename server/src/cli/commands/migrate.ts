import { Command } from 'commander';
import { migrate, type PlannedMigration, planMigrations } from '../../db/migrations.ts';
import { openStore } from '../../store.ts';
import { withStore } from '../database.ts';
import { grouped } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

type JsonOptions = SettingsOptions & { readonly json?: boolean };
type MigrateOptions = JsonOptions & { readonly plan?: boolean };

const upToDate = 'The schema is up to date.';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('update the database schema; "serve" does this automatically')
    .option(
      '--plan',
      'print the migrations that would run, with the tables that they may lock; change nothing',
    )
    .option('--json', 'print the migrations as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe migrate --plan')
    .action(({ plan, ...options }: MigrateOptions) => (plan ? show : run)(options));
}

async function run({ json, ...options }: JsonOptions): Promise<void> {
  const store = await openStore(configFor(options), { mode: 'create', log: tell });
  try {
    const names = await migrate(store.database);
    if (json) return print(JSON.stringify({ migrated: names }));
    for (const name of names) print(`Applied migration ${name}`);
    if (names.length === 0) print(upToDate);
  } finally {
    await store.close();
  }
}

function show({ json, ...options }: JsonOptions): Promise<void> {
  return withStore(configFor(options), async (database) => {
    const planned = await planMigrations(database);
    if (json) return print(JSON.stringify({ planned }));
    for (const migration of planned) print(inWords(migration));
    if (planned.length === 0) return print(upToDate);
    tell(
      '',
      'They run in one transaction. A table that one of them changes is locked until the last has ended, which takes longer the',
      'larger the tables are: take a backup first, and see CHANGELOG.md for steps before the upgrade.',
    );
  });
}

function inWords({ name, tables }: PlannedMigration): string {
  const named = tables.map(
    (table) => `${table.name} (${grouped(table.rows)} rows, ${megabytes(table.bytes)})`,
  );
  return `${name}: ${named.length > 0 ? named.join(', ') : 'no table that exists'}`;
}

function megabytes(bytes: number): string {
  return `${grouped(Math.ceil(bytes / 1e6))} MB`;
}
