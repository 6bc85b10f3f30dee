import type { SignedInUser } from '../access/access.ts';
import { ErrorBudget, Refusal } from '../faults.ts';
import { type Fields, isAbsent, isObject } from '../fields/fields.ts';
import type { Author } from '../journal/journal.ts';
import type { RecordList } from '../json/record-list.ts';
import { Line, prepareDrafts } from '../records/apply.ts';
import { checkRecords } from '../records/batch.ts';
import { required } from '../records/draft.ts';
import type { Operation } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';
import { confirmPassword, type SignInTools } from './sign-in.ts';

export interface OwnCall {
  readonly body: RecordList | null;
  readonly user: SignedInUser;
  readonly author: Author;
  /** Takes a failure that the answer does not show, for the log. */
  report(error: unknown): void;
}

const place = 'Users[0].CurrentPassword';

/** `irs/update` of a signed-in user: its own password, and nothing else. */
export async function changeOwnPassword(
  call: OwnCall,
  operation: Operation,
  tools: SignInTools,
): Promise<Outcome> {
  const { current, record } = await readOwnRecord(call.body, call.user);
  const [read] = await checkRecords([record], operation, operation.newCheck(), new ErrorBudget());
  const draft = required(read);
  const { author, report } = call;
  let verified: string | null = null;
  if (isAbsent(current)) draft.faults.add(place, 'REQUIRED');
  else if (typeof current !== 'string') draft.faults.add(place, 'WRONG_TYPE', undefined, 'string');
  // A guess is made, and counted, only where it would lead to something.
  else if (draft.faults.none) {
    verified = await confirmPassword(call.user.id, current, author, tools);
    if (verified === null) draft.faults.add(place, 'CURRENT_PASSWORD_WRONG');
  }
  const apply = await prepareDrafts(operation, [draft], {
    // Whoever has had the password reset meanwhile has the last word.
    applicant: { author, share: `user ${call.user.id}`, breakOff: null, report, onlyOver: verified ?? '' },
    hasher: tools.hasher,
    receiptOf: null,
    line: new Line(),
  });
  return required((await apply())[0]);
}

/** The record without the current password, once it is certain that it is about this user alone. */
async function readOwnRecord(
  body: RecordList | null,
  { id, principalId }: SignedInUser,
): Promise<{ current: unknown; record: Fields }> {
  const fields = body?.count === 1 && body.firstStranger < 0 ? await body.fields(0) : {};
  const users: unknown = fields.Users;
  const [user] = Array.isArray(users) && users.length === 1 ? users : [];
  const own = fields.ID === principalId && isObject(user) && user.ID === id && isAbsent(user.Username);
  if (!own) throw new Refusal('FORBIDDEN', { variant: 'user' });
  const { CurrentPassword: current, ...rest } = user;
  return { current, record: { ...fields, Users: [rest] } };
}
