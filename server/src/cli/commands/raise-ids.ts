import { Command, Option } from 'commander';
import { countOtherConnections, raiseIds } from '../../db/sequences.ts';
import { ConfigError } from '../../settings/config.ts';
import { withDatabase } from '../database.ts';
import { grouped, readCount } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { confirm } from '../output/prompt.ts';
import { anyTimeline, repeatDeletions, requireErasureLog, tellErasures } from '../restored-backup.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

interface RaiseOptions extends SettingsOptions {
  readonly by: number;
  readonly erasures?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** A higher number could exceed the largest ID, 9,007,199,254,740,991, after some thousand uses. */
const byMax = 1_000_000_000_000;

export function raiseIdsCommand(): Command {
  return new Command('raise-ids')
    .description('skip IDs after a backup was restored, so that no ID is given a second time')
    .addOption(
      new Option(
        '--by <count>',
        'number of IDs to skip; more than were given since the backup, to principals or to users',
      )
        .argParser(readCount)
        .default(1_000_000),
    )
    .option(
      '--erasures <file>',
      'repeat the deletions in this file, erasures.ndjson of ANAGRAFE_BACKUP_FOLDER, since the backup',
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the last skipped ID of each table as JSON')
    .addHelpText(
      'after',
      '\nAfter a backup was restored, new principals and users would get IDs that others had after the backup, and a call' +
        '\nwith such an ID would change or delete the wrong one. Run this command after the restore and before the first start' +
        '\nof the service. It is refused while a service is connected to the database.' +
        '\n\nExample:\n  anagrafe raise-ids',
    )
    .action(raise);
}

async function raise({ by, erasures, yes, json, ...options }: RaiseOptions): Promise<void> {
  if (by > byMax) throw new ConfigError(`--by must be at most ${grouped(byMax)}.`);
  if (erasures !== undefined) await requireErasureLog(erasures);
  await withDatabase(configFor(options), async (database, place) => {
    if ((await countOtherConnections(database)) > 0)
      throw new ConfigError(
        `A service or another command is connected to ${place}. Stop every node, then run this command again.`,
      );
    if (!yes && !(await confirm(`Skip ${grouped(by)} IDs of ${place}? This cannot be undone.`)))
      return tell('Nothing was changed.');
    const last = await raiseIds(database, by);
    const erased =
      erasures === undefined
        ? null
        : await repeatDeletions(database, { path: erasures, timeline: anyTimeline });
    if (json) return print(JSON.stringify({ ...last, ...(erased && { erased }) }));
    const { principals = 0, users = 0 } = last;
    tell(`New principals get IDs above ${principals}, and new users IDs above ${users}.`);
    if (erasures !== undefined) tellErasures(erased, erasures);
  });
}
