import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describeCluster } from '../../backup/backup.store.ts';
import { planRestore } from '../../backup/backup-folder.ts';
import type { RestoredStore } from '../../backup/check-restored.ts';
import { takeBackup } from '../../backup/take-backup.ts';
import { visitEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';
import { clusterOptions } from '../../store.ts';
import { withKeyRing } from '../database.ts';
import { counted } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { requireEmbedded, requireKeyOf, restoreAndCheck } from '../restored-backup.ts';
import { configFor, type SettingsOptions } from '../settings.ts';
import { inWords } from './audit.ts';

export function backupCommand(): Command {
  const command = new Command('backup').description('take and verify backups of the embedded PostgreSQL');

  command
    .command('create', { isDefault: true })
    .description('write a backup into a new folder, while the service works; "create" may be left out')
    .argument('<folder>', 'folder in which the folder of the backup is created')
    .option('--encrypt', 'encrypt the files with a key that is derived from the master key')
    .option('--json', 'print the folder of the backup as JSON')
    .addHelpText(
      'after',
      '\nThe backup is the state of the database at its end. It is complete once its folder has a name such as' +
        '\n2026-01-31T080000Z, and every file was read again and compared with its checksum. It contains password hashes, but' +
        '\nnot the master key: keep a copy of master.key apart from the backups.' +
        '\n\nExample:\n  anagrafe backup create /mnt/backups --encrypt',
    )
    .action(create);

  command
    .command('verify')
    .description('restore a backup into a temporary folder, start it and check what it contains')
    .argument(
      '<folder>',
      'folder of a backup; or of several, of which the newest is verified with the log after it',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nEvery file is compared with its checksum, PostgreSQL is started, the users are counted, and the hash chain of the audit' +
        '\nlog is verified. The temporary folder is in TMPDIR and as large as the database. The exit code is 0 if all is well.' +
        '\n\nExample:\n  anagrafe backup verify /mnt/backups',
    )
    .action(verify);
  return command;
}

interface CreateOptions extends SettingsOptions {
  readonly encrypt?: boolean;
  readonly json?: boolean;
}

async function create(folder: string, { encrypt = false, json, ...options }: CreateOptions): Promise<void> {
  const config = configFor(options);
  requireEmbedded(config);
  const engine = await visitEmbeddedPostgres({
    dataFolder: config.DATA,
    ...clusterOptions(config),
    mayCreate: false,
  });
  try {
    const backup = await withKeyRing(config, async (keyRing, database) =>
      takeBackup(engine.connection, folder, {
        ...(await describeCluster(database)),
        keyRing,
        encrypt,
      }),
    );
    if (json) print(JSON.stringify(backup));
    else print(`The backup is in ${backup.folder}`);
  } finally {
    await engine.stop();
  }
}

interface VerifyOptions extends SettingsOptions {
  readonly json?: boolean;
}

async function verify(folder: string, { json, ...options }: VerifyOptions): Promise<void> {
  const settings = configFor(options);
  const plan = await planRestore(folder, null);
  const keyRing = await requireKeyOf(`The backup ${plan.backup.folder}`, plan.backup.masterKey, settings);
  const DATA = await mkdtemp(join(tmpdir(), 'anagrafe-backup-'));
  try {
    // It checks the backup, in which nothing is to be deleted.
    const { erased: _, ...restored } = await restoreAndCheck(
      plan,
      { ...settings, DATA, BACKUP_FOLDER: null },
      { keyRing, erasures: null },
    );
    if (!restored.audit.sound) process.exitCode = 1;
    if (json) print(JSON.stringify({ ...plan.backup, ...restored }));
    else tellContents(plan.backup.folder, restored);
  } finally {
    await rm(DATA, { recursive: true, force: true });
  }
}

export function tellContents(folder: string, { principals, users, audit }: RestoredStore): void {
  tell(`${folder}: ${counted(principals, 'principal')} and ${counted(users, 'user')}.`, inWords(audit));
}
