import type {
  AppliedUser,
  Attributes,
  DeleteRecord,
  InsertRecord,
  Login,
  principalFields,
  State,
  Tuple,
  UpdateRecord,
  userFields,
} from './api.gen.ts';
import { RecordError, UnexpectedAnswerError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';
import { type KeyOptions, write } from './writes.ts';

/** Names a principal by its ID, or by an object with its `ID` or `ExternalKey`. */
export type PrincipalReference = number | { readonly ID: number } | { readonly ExternalKey: string };

/** Names a user of a principal by its `ID` or `Username`. */
export type UserReference = { readonly ID: number } | { readonly Username: string };

type UserTexts = {
  readonly [Field in keyof typeof userFields]?:
    | ((typeof userFields)[Field]['format'] extends 'attributes' ? Attributes : string)
    | null;
};
type PrincipalTexts = {
  readonly [Field in Exclude<keyof typeof principalFields, 'ExternalKey'>]?:
    | ((typeof principalFields)[Field]['format'] extends 'tags' ? readonly string[] : string)
    | null;
};

/** A password that the user must replace after its next sign-in. */
interface MustChange {
  readonly MustChangePassword?: boolean | null;
}

/** A user to register, with a password, a password hash, or an invitation to set its password. */
export type NewUser = UserTexts & { readonly Username: string } & (
    | ({ readonly Password: string } & MustChange)
    | ({ readonly PasswordHash: string } & MustChange)
    | { readonly Invite: 'email' | 'code' }
  );

/** The ID of an existing user and the password to set. */
export interface NewPassword extends MustChange {
  readonly ID: number;
  readonly Password: string;
}

/** An existing user and its new password or password hash. */
export type PasswordReset = UserReference &
  MustChange &
  ({ readonly Password: string } | { readonly PasswordHash: string });

/** An existing user and the fields to change. A field that is absent or null stays; an empty text clears it. */
export type UserEdit = UserReference &
  UserTexts &
  MustChange & {
    readonly NewUsername?: string | null;
    readonly State?: State | null;
  };

/** The fields of a principal to change, and changes of its users. A field that is absent or null stays. */
export type PrincipalEdit = PrincipalTexts & {
  readonly NewExternalKey?: string | null;
  readonly State?: State | null;
  readonly Users?: readonly UserEdit[];
};

/** The IDs of a signed-in user and of its principal, as `login` returns them. */
export type SignedInUser = Pick<Login, 'IRID' | 'UserID'>;

/**
 * Sends one `update` record, which the service applies as a whole or not at all.
 *
 * @throws {RecordError} If the record was not applied.
 */
export async function updatePrincipal(
  transport: Transport,
  principal: PrincipalReference,
  change: { readonly Users?: readonly object[] | undefined },
  options: KeyOptions | CallOptions = {},
): Promise<AppliedUser[]> {
  const record = { ...referenceOf(principal), ...change } as UpdateRecord;
  const result = await write(transport, 'update', [record], { ...options, representation: true });
  return appliedTuple(result).Item6.Users ?? [];
}

export async function createPrincipal(
  transport: Transport,
  principal: InsertRecord,
  options?: KeyOptions,
): Promise<number> {
  return appliedTuple(await write(transport, 'insert', [principal], options)).Item1 ?? 0;
}

/** Deletes users of a principal; without `users`, the principal with all its users. */
export async function removeUsers(
  transport: Transport,
  principal: PrincipalReference,
  users: readonly UserReference[] | undefined,
  options?: KeyOptions,
): Promise<void> {
  const record = { ...referenceOf(principal), ...(users && { Users: [...users] }) } as DeleteRecord;
  appliedTuple(await write(transport, 'delete', [record], options));
}

/**
 * Returns the tuple of a call with one record.
 *
 * @throws {RecordError} If the record was not applied.
 */
function appliedTuple(result: {
  readonly status: number;
  readonly tuples: readonly Tuple[];
  readonly idempotencyKey: string | null;
  readonly requestId: string | null;
}): Tuple {
  const { status, tuples, idempotencyKey, requestId } = result;
  const [tuple] = tuples;
  if (tuple?.Item3) return tuple;
  const origin = { idempotencyKey: idempotencyKey ?? undefined, requestId };
  if (tuple) throw new RecordError(tuple, origin);
  throw new UnexpectedAnswerError({ status, message: 'The answer to one record has no tuple.' }, origin);
}

function referenceOf(principal: PrincipalReference) {
  return typeof principal === 'number' ? { ID: principal } : principal;
}

/** Adds the `ConfirmPassword` that the API requires. A caller of this package passes a password only once. */
export function withConfirmation<User extends object>(user: User): User {
  return 'Password' in user ? { ...user, ConfirmPassword: user.Password } : user;
}

/** Without the operation, a registration of an existing user seems to be a reset that lacks its operation. */
export function registrationOf(user: NewUser): object {
  return withConfirmation({ ...user, Operation: 'register' });
}

/** A reset by ID and password needs no `Operation`: its fields show what it is. */
export function resetOf(user: PasswordReset): object {
  const isPlain = 'ID' in user && 'Password' in user;
  return withConfirmation(isPlain ? user : { ...user, Operation: 'reset' });
}

export function editOf({ Users, ...fields }: PrincipalEdit): { Users?: readonly object[] } {
  return { ...fields, ...(Users && { Users: Users.map((user) => ({ ...user, Operation: 'edit' })) }) };
}
