import type { AuditChange, AuditRow } from '@anagrafe/client';
import { Command, InvalidArgumentError, Option } from 'commander';
import { auditFields } from '../../audit/audit.routes.ts';
import { openAuditStore } from '../../audit/audit.store.ts';
import {
  type Action,
  type AuditSnapshot,
  actions,
  actorKinds,
  verifyAuditLog,
} from '../../audit/audit-log.ts';
import type { ChainEnd, ChainError, Verdict } from '../../audit/hash-chain.ts';
import type { Config } from '../../settings/config.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { withDatabase, withKeyRing } from '../database.ts';
import { readCount } from '../output/format.ts';
import { print, printLines, tell } from '../output/output.ts';
import { type RowOptions, withRows } from '../output/rows.ts';
import { type Column, printRows, toTheMinute } from '../output/table.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

export function auditCommand(): Command {
  const command = new Command('audit').description('list, verify and export the audit log');

  const list = command
    .command('list')
    .description('list actions with the old and new values of changed fields, newest first')
    .option('--principal <id>', 'show only actions on the principal with this ID', readCount)
    .option('--user <id>', 'show only actions on or by the user with this ID', readCount)
    .addOption(new Option('--action <action>', 'show only this action').choices(actions))
    .addOption(new Option('--actor <kind>', 'show only actions of this kind of actor').choices(actorKinds))
    .option('--client <id>', 'show only actions of the API client with this ID', readCount)
    .option('--from <date>', 'show only actions from this time on: 2026-01-31 or 2026-01-31T08:00:00Z')
    .option('--until <date>', 'show only actions before this time')
    .option('--reads', 'show read operations, too');
  withConnection(withRows(list, 20))
    .addHelpText('after', '\nExample:\n  anagrafe audit list --user 1042 --limit 5')
    .action(listRows);

  command
    .command('verify')
    .description('verify the hash chain of the audit log and print its last position and hash')
    .option('--expect <end>', 'position and hash that an earlier run printed, <position>:<hash>', readEnd)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nThe exit code is 0 if the audit log is intact, else 1. Store the printed line on another machine and pass it with' +
        '\n--expect the next time: only then are rows that were deleted at the end detected.' +
        '\n\nExample:\n  anagrafe audit verify --expect "$(cat /mnt/elsewhere/audit-end)"',
    )
    .action(verify);

  command
    .command('export')
    .description('print the whole audit log, one JSON object per line')
    .option('--json', 'accepted for consistency: the output is always JSON')
    .addHelpText('after', '\nExample:\n  anagrafe audit export > audit.ndjson')
    .action(exportRows);
  return command;
}

interface ListOptions extends ConnectionOptions, RowOptions {
  readonly principal?: number;
  readonly user?: number;
  readonly action?: Action;
  readonly actor?: AuditRow['Actor'];
  readonly client?: number;
  readonly from?: string;
  readonly until?: string;
  readonly reads?: boolean;
}

const columns: readonly Column<AuditRow>[] = [
  { head: 'Position', side: 'right', whole: true, cell: ({ Position }) => String(Position) },
  { head: 'At', whole: true, cell: ({ At }) => At, shown: ({ At }) => toTheMinute(At) },
  { head: 'Actor', whole: true, cell: actorText },
  { head: 'Action', whole: true, cell: ({ Action }) => Action },
  { head: 'Principal', side: 'right', whole: true, cell: ({ IRID }) => String(IRID ?? '') },
  { head: 'Changes', cell: changesText },
];

async function listRows(options: ListOptions): Promise<void> {
  const { principal, user, action, actor, client, from, until, reads = false } = options;
  const { anagrafe } = await reach(options);
  const wanted = options.all ? Number.POSITIVE_INFINITY : options.limit;
  const pageSize = Math.min(wanted, 100);
  const filters = { principal, user, action, actor, client, from, until, reads, pageSize };
  const found = anagrafe.admin.audit.rows({ order: 'newest', ...filters });
  let given = 0;
  async function* rows(): AsyncGenerator<AuditRow> {
    for await (const row of found) {
      yield row;
      if (++given >= wanted) return;
    }
  }
  await printRows(rows(), columns, options);
  if (given === 0 && !options.json) tell('No results.');
}

/** Names a client and an operator; a user has its ID, because the log contains no usernames. */
function actorText({ Actor, ClientID, ClientName, UserID }: AuditRow): string {
  const who = UserID ?? ClientName ?? ClientID;
  return who === null ? Actor : `${Actor} ${who}`;
}

function changesText({ Changes, MoreChanges }: AuditRow): string {
  const texts = Changes.map(
    ({ UserID, Field, Old, New }) =>
      `${UserID === null ? '' : `user ${UserID} `}${Field}: ${valueText(Old)} -> ${valueText(New)}`,
  );
  return [...texts, ...(MoreChanges ? ['...'] : [])].join('; ');
}

function valueText(value: AuditChange['Old']): string {
  return value === null ? '(none)' : typeof value === 'string' ? value : JSON.stringify(value);
}

interface VerifyOptions extends SettingsOptions {
  readonly expect?: ChainEnd;
  readonly json?: boolean;
}

async function verify(options: VerifyOptions): Promise<void> {
  const verdict = await verifyStoredAuditLog(configFor(options), options.expect ?? null);
  if (!verdict.sound) process.exitCode = 1;
  if (options.json) return print(JSON.stringify(plain(verdict)));
  tell(inWords(verdict));
  if (verdict.sound) print(endText(verdict.last));
}

/** Verifies the hash chain of the audit log with the master key. `expected` is an end noted earlier, or null. */
export function verifyStoredAuditLog(config: Config, expected: ChainEnd | null): Promise<Verdict> {
  return withKeyRing(config, (keyRing, database) =>
    verifyAuditLog(openAuditStore(database), keyRing, expected),
  );
}

const chainErrorTexts: Record<ChainError, (position: number) => string> = {
  changed: (position) => `row ${position} was changed`,
  removed: (position) => `row ${position} was removed`,
  inserted: (position) => `row ${position} was inserted`,
  'cut off': (position) => `the rows from ${position} on are missing`,
  'values changed': (position) => `an old or new value of row ${position} was changed`,
};

export function inWords(verdict: Verdict): string {
  if (verdict.sound)
    return `Audit log verified: ${verdict.rows} ${verdict.rows === 1 ? 'row is' : 'rows are'} intact.`;
  return `The audit log is not intact: ${chainErrorTexts[verdict.error](verdict.position)}. Earlier rows that are intact: ${verdict.rows}.`;
}

function plain(verdict: Verdict) {
  const { sound, rows } = verdict;
  if (!sound) return { sound, rows, position: verdict.position, error: verdict.error };
  return { sound, rows, last: endText(verdict.last) };
}

/** Formats the end of the hash chain as `--expect` takes it. */
function endText({ position, hash }: ChainEnd): string {
  return `${position}:${hash.toString('hex')}`;
}

function readEnd(text: string): ChainEnd {
  const [, position, hash] = /^(\d{1,15}):((?:[0-9a-f]{64})?)$/i.exec(text.trim()) ?? [];
  if (position === undefined || hash === undefined)
    throw new InvalidArgumentError(
      'Expected the line that an earlier "audit verify" printed, <position>:<hash>.',
    );
  return { position: Number(position), hash: Buffer.from(hash, 'hex') };
}

function exportRows(options: SettingsOptions): Promise<void> {
  return withDatabase(configFor(options), (database) =>
    openAuditStore(database).inSnapshot((moment) => printLines(exportedLines(moment))),
  );
}

export async function* exportedLines(moment: AuditSnapshot): AsyncGenerator<string> {
  for await (const row of moment.rows()) {
    const changes = [];
    for await (const change of moment.changes(row)) changes.push(change);
    yield JSON.stringify(auditFields(row, { changes, more: false }));
  }
}
