import type { Actor } from '../audit/audit-log.ts';
import type { SignedInUser } from '../clients/access.ts';
import { type RecordList, RecordTooLarge } from '../json/record-list.ts';
import { ApiError, ErrorBudget, FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, isObject, usersOf } from '../lib/request-fields.ts';
import { required } from '../lib/required.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { type CheckedRecord, checkRecords } from '../records/check/batch.ts';
import type { Operation } from '../records/check/operation.ts';
import { applyRecords, hashesNeeded } from '../records/operations/apply.ts';
import { usersTo } from '../records/write/change.ts';
import type { Outcome } from '../records/write/outcome.ts';
import type { RecordWriter } from '../records/write/record-writer.ts';
import { confirmPassword, type SignInTools } from './sign-in.ts';

export interface OwnCall {
  readonly body: RecordList | null;
  readonly user: SignedInUser;
  readonly actor: Actor;
  report(error: unknown): void;
}

const path = 'Users[0].CurrentPassword';

/** The fields that a signed-in user may send. */
const recordFields = ['ID', 'Users'];
const userFields = ['ID', 'Operation', 'Password', 'ConfirmPassword', 'CurrentPassword'];

export interface PasswordHistory {
  /** Returns the hashes of the last `count` passwords that were replaced, the newest first. */
  earlierHashes(userId: number, count: number): Promise<readonly string[]>;
}

export interface ResetTools {
  /** `irs/update`. */
  readonly operation: Operation;
  readonly hasher: HashPool;
  readonly passwords: PasswordHistory;
  /** Number of last passwords that a user may not choose again, including the present one. */
  readonly history: number;
  newWriter(): RecordWriter;
}

/** Handles `irs/update` for a signed-in user, who may change only their own password. */
export async function changeOwnPassword(call: OwnCall, tools: SignInTools & ResetTools): Promise<Outcome> {
  const { current, record } = await readOwnRecord(call.body, call.user);
  const { actor, report, user } = call;
  const checked = await checkRecord(record, tools);
  const { parsed } = checked;
  let verified: string | null = null;
  if (isAbsent(current)) parsed.errors.addMissing(path);
  else if (typeof current !== 'string') parsed.errors.add(path, 'WRONG_TYPE', { variant: 'string' });
  // The login throttle counts each verification, so an invalid record does not cause one.
  else if (parsed.errors.none) {
    verified = await confirmPassword(user.id, current, actor, tools);
    if (verified === null) parsed.errors.add(path, 'CURRENT_PASSWORD_WRONG');
    else await refuseReused(checked, verified, tools);
  }
  // `expectedCurrentHash` prevents this call from overwriting a password that was reset after the verification.
  const condition = { expectedCurrentHash: verified ?? '' };
  return writeOwnReset(checked, { userId: user.id, actor, report, ...condition }, tools);
}

/**
 * Checks a password against the rules, without the hashes of earlier ones. Uses only what the caller sends, so that the
 * result reveals nothing about stored users.
 */
export async function checkNewPassword(
  { Password, Username, Email }: Fields,
  { operation }: ResetTools,
): Promise<FieldErrors> {
  const user = { Operation: 'register', Username, Email, Password, ConfirmPassword: Password };
  const errors = new FieldErrors();
  await operation.parse({ ID: 1, Users: [user] }, errors);
  return errorsOfPassword(errors);
}

/** Returns the errors of the password by the names of its fields. */
export function errorsOfPassword(errors: FieldErrors): FieldErrors {
  const own = new FieldErrors();
  for (const [place, found] of errors.byPlace) {
    const [, field] = /^Users\[0\]\.(Password|ConfirmPassword)$/.exec(place) ?? [];
    if (field !== undefined) for (const error of found) own.put(field, error);
  }
  return own;
}

/** Checks a record with the reset of one user, who chooses the password. `currentHash` is null without a password. */
export async function checkOwnReset(
  record: Fields,
  currentHash: string | null,
  tools: ResetTools,
): Promise<CheckedRecord> {
  const checked = await checkRecord(record, tools);
  await refuseReused(checked, currentHash, tools);
  return checked;
}

async function checkRecord(record: Fields, { operation }: ResetTools): Promise<CheckedRecord> {
  const sent = { position: 0, fields: async () => record };
  const [checked] = await checkRecords([sent], operation, operation.startChecks(), new ErrorBudget());
  return required(checked);
}

/** Adds an error if the password of the reset is one of the last of the user. */
async function refuseReused(
  { parsed, change }: CheckedRecord,
  currentHash: string | null,
  { history, passwords, hasher }: ResetTools,
): Promise<void> {
  const [reset] = change ? usersTo(change, 'reset') : [];
  const text = reset?.password.text ?? null;
  if (!reset || text === null || history === 0 || !parsed.errors.none) return;
  const earlier = await passwords.earlierHashes(reset.id, history - 1);
  const source = { known: true, source: `user ${reset.id}` };
  for (const hash of [currentHash, ...earlier]) {
    if (hash === null || !(await hasher.verify(text, hash, source))) continue;
    parsed.errors.add('Users[0].Password', 'PASSWORD_REUSED', { figures: { count: history } });
    return;
  }
}

interface OwnReset {
  readonly userId: number;
  readonly actor: Actor;
  readonly expectedCurrentHash?: string;
  readonly expectedCode?: string;
  report(error: unknown): void;
}

/** Writes the reset of one user by the user itself, unless the record has errors. */
export async function writeOwnReset(
  checked: CheckedRecord,
  { userId, ...context }: OwnReset,
  { operation, hasher, newWriter }: ResetTools,
): Promise<Outcome> {
  const toApply = { ...checked, ids: { principal: null, users: [] }, approval: null };
  const admitted = hasher.admit({ share: `user ${userId}`, count: hashesNeeded(checked) });
  try {
    const [outcome] = await applyRecords([toApply], {
      ...context,
      operation,
      call: null,
      callerTags: null,
      hashes: admitted,
      writer: newWriter(),
      lastOutcomes: new Map(),
    });
    return required(outcome);
  } finally {
    admitted.end();
  }
}

/** Returns the record without the current password. Throws `FORBIDDEN` unless the record is about this user alone. */
async function readOwnRecord(
  body: RecordList | null,
  { id, principalId }: SignedInUser,
): Promise<{ current: unknown; record: Fields }> {
  const sent = body?.count === 1 && body.firstNonObject < 0 ? await body.fields(0) : {};
  const fields: Fields = sent instanceof RecordTooLarge ? {} : sent;
  const [user] = usersOf(fields).length === 1 ? usersOf(fields) : [];
  const isOwn = fields.ID === principalId && isObject(user) && user.ID === id;
  if (!isOwn || !hasOnly(fields, recordFields) || !hasOnly(user, userFields) || !isReset(user))
    throw new ApiError('FORBIDDEN', { variant: 'user' });
  const { CurrentPassword: current, ...rest } = user;
  return { current, record: { ...fields, Users: [rest] } };
}

function hasOnly(fields: Fields, allowed: readonly string[]): boolean {
  return Object.keys(fields).every((name) => allowed.includes(name) || isAbsent(fields[name]));
}

function isReset({ Operation }: Fields): boolean {
  return isAbsent(Operation) || Operation === 'reset';
}
