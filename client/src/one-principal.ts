import type { AppliedUser, Login, Registration, RegistrationWithHash, Reset } from './api.gen.ts';
import { RecordError, UnexpectedAnswerError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';
import { type KeyOptions, write } from './writes.ts';

/** A user to register, with a password or with a hash of one. */
export type NewUser =
  | { readonly Username: string; readonly Email?: string | null; readonly Password: string }
  | { readonly Username: string; readonly Email?: string | null; readonly PasswordHash: string };

/** A user who gets a new password. */
export interface NewPassword {
  readonly ID: number;
  readonly Password: string;
}

/** The users of one principal, registered or reset together, or a `RecordError`. */
export async function updatePrincipal(
  transport: Transport,
  ID: number,
  users: readonly (NewUser | (NewPassword & { readonly CurrentPassword?: string }))[],
  options: KeyOptions | CallOptions = {},
): Promise<AppliedUser[]> {
  const record = { ID, Users: users.map(confirmed) };
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

/** Of whom the sign-in was. */
export type SignedInUser = Pick<Login, 'IRID' | 'UserID'>;

/** What was typed once is confirmed by itself. */
function confirmed(user: NewUser | NewPassword): Registration | RegistrationWithHash | Reset {
  return 'Password' in user ? { ...user, ConfirmPassword: user.Password } : user;
}
