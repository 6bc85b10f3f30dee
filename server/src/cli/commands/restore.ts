import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { planRestore, timelineOf } from '../../backup/backup-folder.ts';
import { skippedIds } from '../../backup/check-restored.ts';
import { inspectEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';
import { erasureLogIn } from '../../erasures/erasure-log.ts';
import { ConfigError, prefix } from '../../settings/config.ts';
import { grouped } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import {
  requireEmbedded,
  requireErasureLog,
  requireKeyOf,
  restoreAndCheck,
  tellErasures,
} from '../restored-backup.ts';
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
    .option(
      '--erasures <file>',
      'repeat the deletions in this file; default: erasures.ndjson beside the backup, which the service writes',
    )
    .option('--json', 'print what was restored as JSON')
    .addHelpText(
      'after',
      '\nSet ANAGRAFE_DATA to a new folder and copy master.key there first. The command compares every file with its checksum,' +
        '\nstarts PostgreSQL, updates the schema, counts the users and verifies the audit log. It skips 1,000,000 IDs, so that no' +
        '\nID is given again that was given after the backup. What was deleted after the restored state is deleted again, as the' +
        '\nerasure log says. To keep what was deleted by mistake, name a copy of the log without the lines about it, or an' +
        '\nempty file.' +
        '\n\nExample:\n  ANAGRAFE_DATA=/var/lib/anagrafe-new anagrafe restore /mnt/backups',
    )
    .action(restore);
}

function readTime(text: string): Date {
  const [, day = ''] =
    /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.exec(text) ?? [];
  const time = new Date(text);
  // A day that no calendar has, such as 30 February, would become another one.
  const isDay = new Date(`${day}T00:00Z`).toJSON()?.startsWith(day);
  if (day !== '' && isDay && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('Expected a time with its zone, such as 2026-01-31T08:00:00Z.');
}

interface RestoreOptions extends SettingsOptions {
  readonly toTime?: Date;
  readonly erasures?: string;
  readonly json?: boolean;
}

async function restore(
  folder: string,
  { json, toTime, erasures, ...options }: RestoreOptions,
): Promise<void> {
  const config = configFor(options);
  requireEmbedded(config);
  const { cluster, major } = await inspectEmbeddedPostgres(config.DATA, config.POSTGRES_BIN);
  if (cluster !== 'none')
    throw new ConfigError(`${config.DATA} contains a database already`, {
      code: 'data_folder_in_use',
      advice: 'set ANAGRAFE_DATA to another folder.',
    });
  const plan = await planRestore(folder, toTime ?? null);
  const { backup } = plan;
  if (backup.postgres.split('.')[0] !== major)
    throw new ConfigError(
      `The backup is of PostgreSQL ${backup.postgres}, but the programs are of PostgreSQL ${major}`,
      {
        code: 'cluster_version_unsupported',
        advice: `set ${prefix}POSTGRES_BIN to the programs of PostgreSQL ${Number.parseInt(backup.postgres, 10)}, or restore it with the release that took it.`,
      },
    );
  const keyRing = await requireKeyOf(`The backup ${backup.folder}`, backup.masterKey, config);
  const log = erasures ?? erasureLogIn(dirname(backup.folder));
  if (erasures !== undefined) await requireErasureLog(erasures);
  const restored = await restoreAndCheck(plan, config, {
    keyRing,
    erasures: existsSync(log) ? { path: log, timeline: timelineOf(backup) } : null,
  });
  if (!restored.audit.sound) process.exitCode = 1;
  if (json) return print(JSON.stringify({ ...backup, ...restored }));
  tellContents(backup.folder, restored);
  tellErasures(restored.erased, log);
  tell(
    `Restored to ${config.DATA}. New principals and users get IDs that are at least ${grouped(skippedIds)} higher.`,
  );
}
