import { Command, InvalidArgumentError } from 'commander';
import { planRestore } from '../../backup/backup-folder.ts';
import { skippedIds } from '../../backup/check-restored.ts';
import { inspectEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';
import { ConfigError } from '../../settings/config.ts';
import { grouped } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { requireEmbedded, requireKeyOf, restoreAndCheck } from '../restored-backup.ts';
import { configFor, type SettingsOptions } from '../settings.ts';
import { tellContents } from './backup.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into a data folder without a database')
    .argument(
      '<folder>',
      'folder of a backup; or of several, of which the newest is restored with the log after it',
    )
    .option('--to-time <time>', 'restore the state of this time, such as 2026-01-31T08:00:00Z', readTime)
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

function readTime(text: string): Date {
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text)
    ? new Date(text)
    : null;
  if (time && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('Expected a time with its zone, such as 2026-01-31T08:00:00Z.');
}

interface RestoreOptions extends SettingsOptions {
  readonly toTime?: Date;
  readonly json?: boolean;
}

async function restore(folder: string, { json, toTime, ...options }: RestoreOptions): Promise<void> {
  const config = configFor(options);
  requireEmbedded(config);
  const { cluster, major } = await inspectEmbeddedPostgres(config.DATA);
  if (cluster !== 'none')
    throw new ConfigError(`${config.DATA} contains a database already`, {
      code: 'data_folder_in_use',
      advice: 'set ANAGRAFE_DATA to another folder.',
    });
  const plan = await planRestore(folder, toTime ?? null);
  const { backup } = plan;
  if (backup.postgres.split('.')[0] !== major)
    throw new ConfigError(
      `The backup is of PostgreSQL ${backup.postgres}, but this release includes PostgreSQL ${major}`,
      { code: 'cluster_version_unsupported', advice: 'restore it with the release that took it.' },
    );
  const keyRing = await requireKeyOf(plan, config);
  const restored = await restoreAndCheck(plan, config, keyRing);
  if (!restored.audit.sound) process.exitCode = 1;
  if (json) return print(JSON.stringify({ ...backup, ...restored }));
  tellContents(backup.folder, restored);
  tell(
    `Restored to ${config.DATA}. New principals and users get IDs that are at least ${grouped(skippedIds)} higher.`,
  );
}
