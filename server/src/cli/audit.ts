import { Command, InvalidArgumentError } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { type AuditMoment, type AuditStore, verifyJournal } from '../core/journal/audit.ts';
import type { ChainEnd, ChainFault, Verdict } from '../core/journal/chain.ts';
import { auditFields } from '../http/audit-fields.ts';
import { findMasterKey } from '../master-key.ts';
import { openAudit } from '../storage/audit.ts';
import type { Database } from '../storage/database.ts';
import { refuseUnmigrated } from '../storage/migrations.ts';
import { openStore } from '../store.ts';
import { print, printLines, tell } from './output.ts';
import { openKnownVault } from './vault.ts';

export function auditCommand(): Command {
  const command = new Command('audit').description('look after the journal of what was done');

  command
    .command('verify')
    .description('say whether the journal is as it was written, and print its end')
    .option('--expect <end>', 'an end that was noted earlier, <position>:<seal>', readEnd)
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
  const verdict = await judgeJournal(readConfig(process.env), expect ?? null);
  if (!verdict.sound) process.exitCode = 1;
  if (json) return print(JSON.stringify(plain(verdict)));
  tell(inWords(verdict));
  if (verdict.sound) print(endText(verdict.last));
}

/** What the master key says of the journal. */
export async function judgeJournal(config: Config, expected: ChainEnd | null): Promise<Verdict> {
  const key = await findMasterKey(config);
  return withJournal(config, async (store, database) => {
    const vault = await openKnownVault(key, config, database);
    return verifyJournal(store, (before, position, text) => vault.sealRow(before, position, text), expected);
  });
}

const faultWords: Record<ChainFault, (position: number) => string> = {
  changed: (position) => `row ${position} is the first that was changed`,
  removed: (position) => `row ${position} is the first that was removed`,
  inserted: (position) => `row ${position} is the first that was inserted`,
  'cut off': (position) => `its end was cut off: row ${position}, and those after it, are missing`,
};

/** One sentence for a person. */
export function inWords(verdict: Verdict): string {
  if (verdict.sound) return `The journal is sound: ${verdict.rows} rows are as they were written.`;
  return `The journal is broken: ${faultWords[verdict.fault](verdict.position)}. Of those before it, ${verdict.rows} hold.`;
}

function plain(verdict: Verdict) {
  const { sound, rows } = verdict;
  if (!sound) return { sound, rows, position: verdict.position, fault: verdict.fault };
  return { sound, rows, last: endText(verdict.last) };
}

/** As it is noted, and given back with `--expect`. */
export function endText({ position, seal }: ChainEnd): string {
  return `${position}:${seal.toString('hex')}`;
}

function readEnd(text: string): ChainEnd {
  const [, position, seal] = /^(\d{1,15}):((?:[0-9a-f]{64})?)$/i.exec(text.trim()) ?? [];
  if (position === undefined || seal === undefined)
    throw new InvalidArgumentError('It takes the end that an earlier "audit verify" printed.');
  return { position: Number(position), seal: Buffer.from(seal, 'hex') };
}

function exportRows(): Promise<void> {
  return withJournal(readConfig(process.env), (store) =>
    store.inOneMoment((moment) => printLines(exportedLines(moment))),
  );
}

export async function* exportedLines(moment: AuditMoment): AsyncGenerator<string> {
  for await (const row of moment.rows()) yield JSON.stringify(auditFields(row));
}

async function withJournal<Result>(
  config: Config,
  work: (store: AuditStore, database: Database) => Promise<Result>,
): Promise<Result> {
  const { database, close } = await openStore(config, { as: 'visitor', log: () => {} });
  try {
    await refuseUnmigrated(database);
    return await work(openAudit(database), database);
  } finally {
    await close();
  }
}
