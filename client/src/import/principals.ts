import type { InsertRecord, Tuple } from '../api.gen.ts';
import type { Line } from './line.ts';
import { inParts } from './parts.ts';
import type { BatchRecords } from './records.ts';
import { aboutRow, principalFaults, type RowFault, type RowFaults, reasonOf } from './row-fault.ts';
import { UnsettledError } from './unsettled.ts';

/** The distinct descriptions of each principal in the rows of a batch, by external key, in row order. */
export type Descriptions = ReadonlyMap<string, readonly InsertRecord[]>;

/** The result of an insert or of its dry run. A principal that already exists is in neither map. */
interface InsertResult {
  /** Principals that were inserted or, after a dry run, can be. */
  readonly missing: ReadonlyMap<string, InsertRecord>;
  /** Errors of the principals that do not exist and cannot be inserted, by external key. */
  readonly wrong: ReadonlyMap<string, readonly RowFault[]>;
}

/** The default limit of the service for a call that is not a job. `inParts` handles a lower limit. */
const recordsPerCall = 1000;

/**
 * Inserts the principals of a batch that do not exist yet. Returns the errors of the rows whose principal could not be
 * inserted, by row number.
 *
 * @throws {UnsettledError} If the service could not apply a principal, or does not know whether it did.
 */
export async function insertPrincipals({ principals, update }: BatchRecords, line: Line): Promise<RowFaults> {
  const wrong = await insertMissing(principals, line);
  return new Map(
    update.flatMap(({ item, record }) => {
      const faults = record.ExternalKey ? wrong.get(record.ExternalKey) : undefined;
      return faults ? [[item.row, faults] as const] : [];
    }),
  );
}

/** Returns the errors of the principals that cannot be inserted, by external key. */
async function insertMissing(descriptions: Descriptions, line: Line): Promise<InsertResult['wrong']> {
  // The dry run finds the principals that exist, which would otherwise count as failed records of the insert call.
  const { missing, wrong } = await tryPrincipals(descriptions, line);
  const inserted = await insert(missing, line, false);
  return new Map([...wrong, ...inserted.wrong]);
}

/** Checks the first description of each principal with a dry run, and the next description if that one is invalid. */
export async function tryPrincipals(descriptions: Descriptions, line: Line): Promise<InsertResult> {
  const missing = new Map<string, InsertRecord>();
  const wrong = new Map<string, readonly RowFault[]>();
  let remaining = descriptions;
  for (let index = 0; remaining.size > 0; index++) {
    const some = [...remaining].flatMap(([key, all]) =>
      all.slice(index, index + 1).map((one) => [key, one] as const),
    );
    const result = await insert(new Map(some), line, true);
    for (const [key, record] of result.missing) missing.set(key, record);
    for (const [key] of some) wrong.delete(key);
    for (const [key, faults] of result.wrong) wrong.set(key, faults);
    remaining = new Map(
      [...remaining].filter(([key, all]) => result.wrong.has(key) && all.length > index + 1),
    );
  }
  return { missing, wrong };
}

async function insert(
  principals: InsertResult['missing'],
  { anagrafe, signal }: Line,
  dryRun: boolean,
): Promise<InsertResult> {
  const missing = new Map<string, InsertRecord>();
  const wrong = new Map<string, readonly RowFault[]>();
  const all = [...principals];
  for (let at = 0; at < all.length; at += recordsPerCall) {
    const parts = await inParts(all.slice(at, at + recordsPerCall), (some) =>
      anagrafe.insert(
        some.map(([, record]) => record),
        { dryRun, signal },
      ),
    );
    for (const { items, answer, refusal } of parts) {
      for (const [index, [key, record]] of items.entries()) {
        const tuple = answer?.tuples[index];
        if (refusal !== null) wrong.set(key, [aboutRow(refusal)]);
        else if (tuple?.Item3) missing.set(key, record);
        else if (tuple && !alreadyExists(tuple)) wrong.set(key, principalFaults(requireSettled(tuple)));
      }
    }
  }
  return { missing, wrong };
}

/**
 * Throws if the principal failed for a reason other than its content, because then its rows are not invalid.
 *
 * @throws {UnsettledError}
 */
function requireSettled(tuple: Tuple): Tuple {
  if (tuple.Item2 !== 'NOT_APPLIED' && tuple.Item2 !== 'OUTCOME_UNKNOWN') return tuple;
  throw new UnsettledError(reasonOf(tuple));
}

function alreadyExists({ Item5 }: Tuple): boolean {
  return Item5.ExternalKey?.some(({ code }) => code === 'EXTERNAL_KEY_TAKEN') ?? false;
}
