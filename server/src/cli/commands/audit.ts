import { Command, InvalidArgumentError } from 'commander';
import { auditFields } from '../../audit/audit.routes.ts';
import { openAudit } from '../../audit/audit.store.ts';
import { type AuditSnapshot, verifyAuditLog } from '../../audit/audit-log.ts';
import type { ChainEnd, ChainError, Verdict } from '../../audit/hash-chain.ts';
import { type Config, readConfig } from '../../config.ts';
import { withDatabase, withKeyRing } from '../database.ts';
import { print, printLines, tell } from '../output/output.ts';

export function auditCommand(): Command {
  const command = new Command('audit').description('look after the journal of what was done');

  command
    .command('verify')
    .description('say whether the journal is as it was written, and print its end')
    .option('--expect <end>', 'an end that was noted earlier, <position>:<hash>', readEnd)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nThe exit code is 0 where the journal is sound, else 1. Note the end elsewhere, and give it next time.' +
        '\n\nExample:\n  anagrafe audit verify --expect "$(cat /mnt/elsewhere/journal-end)"',
    )
    .action(verify);

  command
    .command('export')
    .description('write every row of the journal, one JSON object per line')
    .option('--json', 'as JSON, which it is in any case')
    .addHelpText('after', '\nExample:\n  anagrafe audit export > journal.ndjson')
    .action(exportRows);
  return command;
}

async function verify({ expect, json }: { expect?: ChainEnd; json?: boolean }): Promise<void> {
  const verdict = await verifyStoredAuditLog(readConfig(process.env), expect ?? null);
  if (!verdict.sound) process.exitCode = 1;
  if (json) return print(JSON.stringify(plain(verdict)));
  tell(inWords(verdict));
  if (verdict.sound) print(endText(verdict.last));
}

/** Verifies the hash chain of the audit log with the master key. `expected` is an end noted earlier, or null. */
export function verifyStoredAuditLog(config: Config, expected: ChainEnd | null): Promise<Verdict> {
  return withKeyRing(config, (keyRing, database) =>
    verifyAuditLog(
      openAudit(database),
      (before, position, text) => keyRing.hashRow(before, position, text),
      expected,
    ),
  );
}

const faultWords: Record<ChainError, (position: number) => string> = {
  changed: (position) => `row ${position} is the first that was changed`,
  removed: (position) => `row ${position} is the first that was removed`,
  inserted: (position) => `row ${position} is the first that was inserted`,
  'cut off': (position) => `its end was cut off: row ${position}, and those after it, are missing`,
};

export function inWords(verdict: Verdict): string {
  if (verdict.sound) return `The journal is sound: ${verdict.rows} rows are as they were written.`;
  return `The journal is broken: ${faultWords[verdict.error](verdict.position)}. Of those before it, ${verdict.rows} hold.`;
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
    throw new InvalidArgumentError('It takes the end that an earlier "audit verify" printed.');
  return { position: Number(position), hash: Buffer.from(hash, 'hex') };
}

function exportRows(): Promise<void> {
  return withDatabase(readConfig(process.env), (database) =>
    openAudit(database).inSnapshot((moment) => printLines(exportedLines(moment))),
  );
}

export async function* exportedLines(moment: AuditSnapshot): AsyncGenerator<string> {
  for await (const row of moment.rows()) yield JSON.stringify(auditFields(row));
}
