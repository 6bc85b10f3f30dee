import { Command } from 'commander';
import { refuseUnmigrated } from '../../db/migrations.ts';
import { inspectServer } from '../../db/server-version.ts';
import { writeDump } from '../../dump/write-dump.ts';
import { findMasterKeys, openExistingKeyRing, shortId } from '../../settings/master-key-file.ts';
import { openStore } from '../../store.ts';
import { counted, grouped } from '../output/format.ts';
import { LiveLine } from '../output/live-line.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

interface DumpCommandOptions extends SettingsOptions {
  readonly encrypt?: boolean;
  readonly json?: boolean;
}

export function dumpCommand(): Command {
  return new Command('dump')
    .description('write the whole database into a file, to move it to another PostgreSQL')
    .argument('<file>', 'file to create')
    .option('--encrypt', 'encrypt the file with a key that is derived from the master key')
    .option('--json', 'print the number of rows of each table as JSON')
    .addHelpText(
      'after',
      '\nThe file is the state of the database at one moment. It has everything but the sessions: users sign in again. It' +
        '\ncontains password hashes, but not the master key, which "load" needs: keep both, and apart from each other. The' +
        '\nservice may work meanwhile; stop it to move the database, so that nothing is written after the dump.' +
        '\n\nExample:\n  anagrafe dump /mnt/backups/anagrafe.dump --encrypt',
    )
    .action(dump);
}

async function dump(file: string, { encrypt = false, json, ...options }: DumpCommandOptions): Promise<void> {
  const config = configFor(options);
  const { connection, database, close } = await openStore(config, { mode: 'existing', log: () => {} });
  const line = new LiveLine();
  try {
    await refuseUnmigrated(database);
    const keyRing = await openExistingKeyRing(await findMasterKeys(config), config, database);
    const { version } = await inspectServer(database);
    const source = { connection, postgres: version, keyRing };
    const rows = await writeDump(file, source, {
      encrypt,
      onProgress: (table, bytes) => line.show(inMegabytes(`Reading ${table}`, bytes)),
    });
    line.end();
    const key = keyRing.identity.toString('hex');
    if (json) return print(JSON.stringify({ file, masterKey: key, rows }));
    const { principals = 0, users = 0 } = rows;
    tell(
      `${file}: ${counted(principals, 'principal')}, ${counted(users, 'user')} and ${grouped(rowsIn(rows) - principals - users)} other rows.`,
      `To load it, you need the master key with the fingerprint ${shortId(keyRing.identity)}.`,
    );
  } finally {
    line.end();
    await close();
  }
}

export function inMegabytes(state: string, bytes: number) {
  return { state, done: Math.floor(bytes / 1e6), total: null, unit: 'MB', failed: 0 };
}

function rowsIn(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((total, count) => total + count, 0);
}
