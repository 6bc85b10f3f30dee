import type { Actor } from '../audit/audit-log.ts';
import type { SignedInUser } from '../clients/access.ts';
import { type RecordList, RecordTooLarge } from '../json/record-list.ts';
import { ApiError, ErrorBudget } from '../lib/field-errors.ts';
import { type Fields, isAbsent, isObject, usersOf } from '../lib/request-fields.ts';
import { required } from '../lib/required.ts';
import { checkRecords } from '../records/check/batch.ts';
import type { Operation } from '../records/check/operation.ts';
import { applyRecords, hashesNeeded } from '../records/operations/apply.ts';
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

/** Handles `irs/update` for a signed-in user, who may change only their own password. */
export async function changeOwnPassword(
  call: OwnCall,
  operation: Operation,
  tools: SignInTools & { newWriter(): RecordWriter },
): Promise<Outcome> {
  const { current, record } = await readOwnRecord(call.body, call.user);
  const sent = { position: 0, fields: async () => record };
  const [read] = await checkRecords([sent], operation, operation.newCheck(), new ErrorBudget());
  const checked = required(read);
  const { parsed } = checked;
  const { actor, report } = call;
  let verified: string | null = null;
  if (isAbsent(current)) parsed.errors.addMissing(path);
  else if (typeof current !== 'string') parsed.errors.add(path, 'WRONG_TYPE', { variant: 'string' });
  // The login throttle counts each verification, so an invalid record does not cause one.
  else if (parsed.errors.none) {
    verified = await confirmPassword(call.user.id, current, actor, tools);
    if (verified === null) parsed.errors.add(path, 'CURRENT_PASSWORD_WRONG');
  }
  // `expectedCurrentHash` prevents this call from overwriting a password that was reset after the verification.
  const share = `user ${call.user.id}`;
  const toApply = { ...checked, ids: { principal: null, users: [] }, approval: null };
  const admitted = tools.hasher.admit({ share, count: hashesNeeded(checked) });
  try {
    const [outcome] = await applyRecords([toApply], {
      operation,
      actor,
      call: null,
      expectedCurrentHash: verified ?? '',
      hashes: admitted,
      writer: tools.newWriter(),
      lastOutcomes: new Map(),
      report,
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
