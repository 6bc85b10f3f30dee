import { bodyOf, dryRunUpsert, type ImportConnection, rulesOf } from './calls.ts';
import type { WriteRules } from './records.ts';
import type { Answer, Call } from './send.ts';

/** Checks the records of a call without applying them. `seconds` is the estimated time to hash the passwords. */
export async function dryRunCall(
  { operation, records }: Call,
  rules: WriteRules,
  connection: ImportConnection,
): Promise<{ readonly answers: readonly Answer[]; readonly seconds: number }> {
  if (operation === 'upsert') {
    const { tuples, counts } = await dryRunUpsert(records, rules, connection);
    return { answers: tuples, seconds: counts.EstimatedSeconds };
  }
  const { anagrafe, signal } = connection;
  const { tuples, estimate } = await anagrafe[operation](bodyOf(records), {
    ...rulesOf(operation, rules),
    dryRun: true,
    signal,
  });
  const answers = tuples.map(({ Item3, Item4, Item5 }) => ({ Item3, Item4, Item5 }));
  return { answers, seconds: estimate.EstimatedSeconds };
}
