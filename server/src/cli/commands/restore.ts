import { Command } from 'commander';
import { findBackup } from '../../backup/backup-folder.ts';
import { checkRestored, skippedIds } from '../../backup/check-restored.ts';
import { restoreFiles } from '../../backup/restore-files.ts';
import { inspectEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';
import { ConfigError } from '../../settings/config.ts';
import { requireEmbedded, requireKeyOf } from '../backup-key.ts';
import { withStore } from '../database.ts';
import { grouped } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';
import { tellContents } from './backup.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into a data folder without a database')
    .argument('<folder>', 'folder of a backup, or of several: the newest one is restored')
    .option('--json', 'print what was restored as JSON')
    .addHelpText(
      'after',
      '\nSet ANAGRAFE_DATA to a new folder and copy master.key there first. The command compares every file with its checksum,' +
        '\nstarts PostgreSQL, updates the schema, counts the users and verifies the audit log. It skips 1,000,000 IDs, so that no' +
        '\nID is given again that was given after the backup.' +
        '\n\nExample:\n  ANAGRAFE_DATA=/var/lib/anagrafe-new anagrafe restore /mnt/backups',
    )
    .action(restore);
}

interface RestoreOptions extends SettingsOptions {
  readonly json?: boolean;
}

async function restore(folder: string, { json, ...options }: RestoreOptions): Promise<void> {
  const config = configFor(options);
  requireEmbedded(config);
  const { cluster, major } = await inspectEmbeddedPostgres(config.DATA);
  if (cluster !== 'none')
    throw new ConfigError(`${config.DATA} contains a database already`, {
      code: 'data_folder_in_use',
      advice: 'set ANAGRAFE_DATA to another folder.',
    });
  const backup = await findBackup(folder);
  if (backup.postgres.split('.')[0] !== major)
    throw new ConfigError(
      `The backup is of PostgreSQL ${backup.postgres}, but this release includes PostgreSQL ${major}`,
      { code: 'cluster_version_unsupported', advice: 'restore it with the release that took it.' },
    );
  const keyRing = await requireKeyOf(backup, config);
  await restoreFiles(backup, config.DATA, keyRing);
  const restored = await withStore(config, (database) => checkRestored(database, keyRing));
  if (!restored.audit.sound) process.exitCode = 1;
  if (json) return print(JSON.stringify({ ...backup, ...restored }));
  tellContents(backup.folder, restored);
  tell(
    `Restored to ${config.DATA}. New principals and users get IDs that are at least ${grouped(skippedIds)} higher.`,
  );
}
