import type { InsertRecord, Tuple } from '@anagrafe/client';
import type { Line } from './sending.ts';
import { sentencesOf } from './sentences.ts';

type Principals = ReadonlyMap<string, InsertRecord>;

interface Tried {
  /** Those that are not there yet and can be inserted. */
  readonly missing: Principals;
  /** What is wrong with those that are neither there nor can be inserted, by external key. */
  readonly wrong: ReadonlyMap<string, readonly string[]>;
}

const recordsInCall = 1000;

/** Inserts the principals that are not there yet. Returns what is wrong with those that cannot be, by external key. */
export async function insertMissing(principals: Principals, line: Line): Promise<Tried['wrong']> {
  // Tried first, so that those that are there do not count as failures of a call.
  const { missing, wrong } = await tryPrincipals(principals, line);
  const inserted = await insert(missing, line, false);
  return new Map([...wrong, ...inserted.wrong]);
}

export function tryPrincipals(principals: Principals, line: Line): Promise<Tried> {
  return insert(principals, line, true);
}

async function insert(principals: Principals, { anagrafe, signal }: Line, dryRun: boolean): Promise<Tried> {
  const missing = new Map<string, InsertRecord>();
  const wrong = new Map<string, readonly string[]>();
  const all = [...principals];
  for (let at = 0; at < all.length; at += recordsInCall) {
    const some = all.slice(at, at + recordsInCall);
    const records = some.map(([, record]) => record);
    const { tuples } = await anagrafe.insert(records, { dryRun, signal });
    for (const [place, [key, record]] of some.entries()) {
      const tuple = tuples[place];
      if (tuple?.Item3) missing.set(key, record);
      else if (tuple && !isThere(tuple)) wrong.set(key, sentencesOf(tuple.Item5));
    }
  }
  return { missing, wrong };
}

function isThere({ Item5 }: Tuple): boolean {
  return Item5.ExternalKey?.some(({ code }) => code === 'EXTERNAL_KEY_TAKEN') ?? false;
}
