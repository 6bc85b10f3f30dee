import { Aborted } from '../../lib/aborted.ts';
import { FieldErrors } from '../../lib/field-errors.ts';
import { required } from '../../lib/required.ts';
import type { PasswordHasher } from '../../passwords/hash-pool.ts';
import { type CheckedRecord, changeToWrite } from '../check/batch.ts';
import type { Operation } from '../check/operation.ts';
import { type Approval, requireApproved } from '../check/plan.ts';
import type { NewPassword } from '../parse/new-password.ts';
import type { ParsedRecord } from '../parse/parsed-record.ts';
import { outcomeOf, type PrincipalChange, passwordsIn, principalsOf } from '../write/change.ts';
import { enoughIds } from '../write/id-reservation.ts';
import { type Outcome, refused, type WriteContext } from '../write/outcome.ts';
import type { RecordWriter } from '../write/record-writer.ts';
import { type Hashes, type ReservedIds, writableChange } from '../write/writable-change.ts';
import { failureRules, isFinal, kindOfFailure } from '../write/write-failures.ts';

export interface RecordToApply extends Omit<CheckedRecord, 'fields'> {
  /** The IDs that are reserved for what the record inserts. */
  readonly ids: ReservedIds;
  /** The approved effect; null for any effect. */
  readonly approval: Approval | null;
}

/** Everything that the records of one call or chunk have in common while they are applied. */
interface ApplyContext extends WriteContext {
  readonly operation: Operation;
  readonly hashes: PasswordHasher;
  readonly writer: RecordWriter;
  /** The outcome of the last record of each principal, which the next record of the principal waits for. */
  readonly lastOutcomes: Map<number, Promise<Outcome | null>>;
  report(error: unknown): void;
}

/** The passwords of a record that are hashed or being hashed. */
type Hashing = Map<NewPassword, Promise<string>>;

/** Returns the number of passwords that have to be hashed, unless the record is refused. */
export function hashesNeeded(record: Pick<CheckedRecord, 'parsed' | 'change'>): number {
  const change = changeToWrite(record);
  return change ? passwordsIn(change).filter(({ hash }) => hash === null).length : 0;
}

/**
 * Hashes the passwords of checked records and writes the records. Records of one principal are written in the order
 * given. Returns one outcome per record; null if another node has stored the outcome of the record meanwhile.
 */
export function applyRecords(
  records: readonly RecordToApply[],
  context: ApplyContext,
): Promise<(Outcome | null)[]> {
  const { lastOutcomes } = context;
  return Promise.all(
    records.map((record) => {
      const change = changeToWrite(record);
      if (!change) return refused(record.parsed);
      const principals = principalsOf(change);
      const earlier = principals.flatMap((id) => lastOutcomes.get(id) ?? []);
      const outcome = applyRecord(record, change, earlier, context);
      for (const id of principals) lastOutcomes.set(id, outcome);
      return outcome;
    }),
  );
}

/**
 * Hashes and writes a valid record, and checks and writes it again if `failureRules` says so, until it is written or the
 * check finds the cause. `earlier` are the outcomes of the records of the same principals before it.
 */
async function applyRecord(
  record: RecordToApply,
  checked: PrincipalChange,
  earlier: readonly Promise<Outcome | null>[],
  context: ApplyContext,
): Promise<Outcome | null> {
  const { retries } = context.writer;
  const hashing: Hashing = new Map();
  // The next record of the principal waits for this one alone, also if this one fails.
  await Promise.allSettled([hashPasswords(checked, hashing, context.hashes)]);
  const before = await Promise.all(earlier);
  // The earlier record may be sent again, and would then undo the change of this one.
  if (before.some((outcome) => outcome && !isFinal(outcome)))
    return refused(record.parsed, { code: 'NOT_APPLIED', variant: 'earlier' });
  // A record that is being retried must not conflict with one that is written for the first time.
  await retries.ended(checked.principalId);
  const outcome = await tryRecord(record, 1, hashing, context);
  if (outcome !== 'again') return outcome;
  const endRetry = await retries.begin(checked.principalId);
  try {
    for (let attempt = 2; ; attempt++) {
      const retried = await tryRecord(record, attempt, hashing, context);
      if (retried !== 'again') return retried;
    }
  } finally {
    endRetry();
  }
}

/** Writes the change that was checked or, in a further attempt, the one that a new check finds. */
async function tryRecord(
  record: RecordToApply,
  attempt: number,
  hashing: Hashing,
  context: ApplyContext,
): Promise<Outcome | null | 'again'> {
  const { writer } = context;
  let id: number | null = null;
  try {
    const { parsed, change } = attempt === 1 ? record : await checkAgain(record, context);
    if (!change) return refused(parsed);
    const hashes = await hashPasswords(change, hashing, context.hashes);
    const ids = await enoughIds(change, record.ids, writer.store);
    const ready = writableChange(change, { ids, hashes, position: record.position }, context);
    id = ready.principalId;
    await writer.write(ready);
    return outcomeOf(ready, parsed.errors);
  } catch (error) {
    if (attempt < failureRules[kindOfFailure(error)].attempts) return 'again';
    return outcomeOfFailure(error, record.parsed, id, context);
  }
}

/** Checks a record again. The change may register other users than before, for which hashes are still missing. */
async function checkAgain(record: RecordToApply, { operation }: ApplyContext) {
  const parsed = { ...record.parsed, errors: new FieldErrors() };
  const tools = { namedElsewhere: new Set(record.change?.namedElsewhere) };
  const [change = null] = await operation.startChecks(tools)([parsed]);
  requireApproved({ parsed, change }, record.approval);
  return { parsed, change: changeToWrite({ parsed, change }) };
}

/** Returns the hashes of the passwords of a change. Each password of a record is hashed once, however often it is tried. */
async function hashPasswords(
  change: PrincipalChange,
  hashing: Hashing,
  hasher: PasswordHasher,
): Promise<Hashes> {
  const passwords = passwordsIn(change).filter(({ hash }) => hash === null);
  const hashes = passwords.map(async (password) => {
    const hashed = hashing.get(password) ?? hasher.hash(required(password.text));
    hashing.set(password, hashed);
    return [password, await hashed] as const;
  });
  return new Map(await Promise.all(hashes));
}

/**
 * Returns the outcome of a record that could not be written, or may be; null if another node has stored its outcome. `id`
 * is the principal that the record may have been written to.
 */
function outcomeOfFailure(
  error: unknown,
  parsed: ParsedRecord,
  id: number | null,
  { report }: ApplyContext,
): Outcome | null {
  if (error instanceof Aborted) throw error;
  const kind = kindOfFailure(error);
  const { error: detail } = failureRules[kind];
  if (detail === null) return null;
  report(error);
  const outcome = refused(parsed, detail);
  return kind === 'unknown' ? { ...outcome, id } : outcome;
}
