import type { InsertRecord, Tuple } from '../api.gen.ts';
import type { Line } from './line.ts';
import { inParts } from './parts.ts';
import type { BatchRecords } from './records.ts';
import { aboutRow, principalFaults, type RowFault, type RowFaults, reasonOf } from './row-fault.ts';
import { UnsettledError } from './unsettled.ts';

/** What the rows of a batch say of principals, by external key: each description that there is, in order. */
export type Descriptions = ReadonlyMap<string, readonly InsertRecord[]>;

interface Tried {
  /** Those that are not there yet and can be inserted. */
  readonly missing: ReadonlyMap<string, InsertRecord>;
  /** What is wrong with those that are neither there nor can be inserted, by external key. */
  readonly wrong: ReadonlyMap<string, readonly RowFault[]>;
}

const recordsInCall = 1000;

/**
 * Inserts the principals that are not there yet. Returns the rows whose principals could not be.
 *
 * @throws {UnsettledError}
 */
export async function insertPrincipals({ principals, update }: BatchRecords, line: Line): Promise<RowFaults> {
  const wrong = await insertMissing(principals, line);
  return new Map(
    update.flatMap(({ item, record }) => {
      const why = record.ExternalKey ? wrong.get(record.ExternalKey) : undefined;
      return why ? [[item.row, why] as const] : [];
    }),
  );
}

/** Returns what is wrong with those that cannot be inserted, by external key. */
async function insertMissing(descriptions: Descriptions, line: Line): Promise<Tried['wrong']> {
  // Tried first, so that those that are there do not count as failures of a call.
  const { missing, wrong } = await tryPrincipals(descriptions, line);
  const inserted = await insert(missing, line, false);
  return new Map([...wrong, ...inserted.wrong]);
}

/** Tries the first description of each, and another one where that is refused. */
export async function tryPrincipals(descriptions: Descriptions, line: Line): Promise<Tried> {
  const missing = new Map<string, InsertRecord>();
  const wrong = new Map<string, readonly RowFault[]>();
  let left = descriptions;
  for (let place = 0; left.size > 0; place++) {
    const some = [...left].flatMap(([key, all]) =>
      all.slice(place, place + 1).map((one) => [key, one] as const),
    );
    const tried = await insert(new Map(some), line, true);
    for (const [key, record] of tried.missing) missing.set(key, record);
    for (const [key] of some) wrong.delete(key);
    for (const [key, faults] of tried.wrong) wrong.set(key, faults);
    left = new Map([...left].filter(([key, all]) => tried.wrong.has(key) && all.length > place + 1));
  }
  return { missing, wrong };
}

async function insert(
  principals: Tried['missing'],
  { anagrafe, signal }: Line,
  dryRun: boolean,
): Promise<Tried> {
  const missing = new Map<string, InsertRecord>();
  const wrong = new Map<string, readonly RowFault[]>();
  const all = [...principals];
  for (let at = 0; at < all.length; at += recordsInCall) {
    const parts = await inParts(all.slice(at, at + recordsInCall), (some) =>
      anagrafe.insert(
        some.map(([, record]) => record),
        { dryRun, signal },
      ),
    );
    for (const { items, answer, refusal } of parts) {
      for (const [place, [key, record]] of items.entries()) {
        const tuple = answer?.tuples[place];
        if (refusal !== null) wrong.set(key, [aboutRow(refusal)]);
        else if (tuple?.Item3) missing.set(key, record);
        else if (tuple && !isThere(tuple)) wrong.set(key, principalFaults(settled(tuple)));
      }
    }
  }
  return { missing, wrong };
}

/** A principal that the store did not take is not to blame, and neither are the rows that belong to it. */
function settled(tuple: Tuple): Tuple {
  if (tuple.Item2 !== 'NOT_APPLIED' && tuple.Item2 !== 'OUTCOME_UNKNOWN') return tuple;
  throw new UnsettledError(reasonOf(tuple));
}

function isThere({ Item5 }: Tuple): boolean {
  return Item5.ExternalKey?.some(({ code }) => code === 'EXTERNAL_KEY_TAKEN') ?? false;
}
