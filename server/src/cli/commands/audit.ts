import { Command, InvalidArgumentError } from 'commander';
import { auditFields } from '../../audit/audit.routes.ts';
import { openAuditStore } from '../../audit/audit.store.ts';
import { type AuditSnapshot, verifyAuditLog } from '../../audit/audit-log.ts';
import type { ChainEnd, ChainError, Verdict } from '../../audit/hash-chain.ts';
import type { Config } from '../../settings/config.ts';
import { withDatabase, withKeyRing } from '../database.ts';
import { print, printLines, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

export function auditCommand(): Command {
  const command = new Command('audit').description('verify and export the audit log');

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
    verifyAuditLog(
      openAuditStore(database),
      (before, position, text) => keyRing.hashRow(before, position, text),
      expected,
    ),
  );
}

const chainErrorTexts: Record<ChainError, (position: number) => string> = {
  changed: (position) => `row ${position} was changed`,
  removed: (position) => `row ${position} was removed`,
  inserted: (position) => `row ${position} was inserted`,
  'cut off': (position) => `the rows from ${position} on are missing`,
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
  for await (const row of moment.rows()) yield JSON.stringify(auditFields(row));
}
