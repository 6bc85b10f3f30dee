import type { AppliedUser, Login, Registration, RegistrationWithHash, Reset } from './api.gen.ts';
import { RecordError, UnexpectedAnswerError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';
import { type KeyOptions, write } from './writes.ts';

/** A user to register, with either a password or a password hash. */
export type NewUser =
  | { readonly Username: string; readonly Email?: string | null; readonly Password: string }
  | { readonly Username: string; readonly Email?: string | null; readonly PasswordHash: string };

/** The ID of an existing user and the password to set. */
export interface NewPassword {
  readonly ID: number;
  readonly Password: string;
}

/**
 * Sends one `update` record, which the service applies as a whole or not at all.
 *
 * @throws {RecordError} If the record was not applied.
 */
export async function updatePrincipal(
  transport: Transport,
  ID: number,
  users: readonly (NewUser | (NewPassword & { readonly CurrentPassword?: string }))[],
  options: KeyOptions | CallOptions = {},
): Promise<AppliedUser[]> {
  const record = { ID, Users: users.map(withConfirmation) };
  const { status, tuples, idempotencyKey, requestId } = await write(transport, 'update', [record], {
    ...options,
    representation: true,
  });
  const [tuple] = tuples;
  if (tuple?.Item3) return tuple.Item6.Users ?? [];
  const origin = { idempotencyKey: idempotencyKey ?? undefined, requestId };
  if (tuple) throw new RecordError(tuple, origin);
  throw new UnexpectedAnswerError({ status, message: 'The answer to one record has no tuple.' }, origin);
}

/** The IDs of a signed-in user and of its principal, as `login` returns them. */
export type SignedInUser = Pick<Login, 'IRID' | 'UserID'>;

/** Adds the `ConfirmPassword` that the API requires. A caller of this package passes a password only once. */
function withConfirmation(user: NewUser | NewPassword): Registration | RegistrationWithHash | Reset {
  return 'Password' in user ? { ...user, ConfirmPassword: user.Password } : user;
}
