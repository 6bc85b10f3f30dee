import type {
  ForgottenPassword,
  InviteRecord,
  PasswordToCheck,
  RefusedPassword,
  UserOfCode,
} from './api.gen.ts';
import { RecordError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { type Answer, pageOf, type Transport } from './transport.ts';
import { type WriteOptions, type WriteResult, write } from './writes.ts';

/** Codes with which users set their passwords. `forgot`, `check` and `set` need no credential. */
export class Passwords {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Gives users codes. With `representation: true` the users in `Item6` have their `Code` and `URL`. A repeated answer has
   * no codes.
   *
   * @example
   * ```ts
   * const records = [{ ID: 1, Users: [{ Username: 'mario.rossi', Invite: 'code' as const }] }];
   * const { tuples } = await anagrafe.passwords.invite(records, { representation: true });
   * ```
   */
  invite<Dry extends boolean = false>(
    records: readonly InviteRecord[],
    options?: WriteOptions<Dry>,
  ): Promise<WriteResult<Dry>> {
    return write(this.#transport, 'invite', records, options);
  }

  /**
   * Reports a forgotten password: the user, or the users with the email address, get a mail with a link. The answer is
   * the same if there is no such user.
   */
  async forgot(name: ForgottenPassword, options?: CallOptions): Promise<void> {
    await this.#transport.send('forgotPassword', { body: name }, options);
  }

  /** Returns the rules that a new password violates; an empty object if it is accepted. */
  async check(password: PasswordToCheck, options?: CallOptions): Promise<RefusedPassword['FieldErrors']> {
    return (await this.#transport.record('checkPassword', { body: password }, options)).FieldErrors;
  }

  /**
   * Sets the password of the user that has the code, and returns its username.
   *
   * @throws {ApiError} With the code `CODE_INVALID` if the code is unknown, expired or already used.
   * @throws {RecordError} If the password was not accepted; `fieldErrors` has the errors. The code is still valid.
   */
  async set(code: string, password: string, options?: CallOptions): Promise<string> {
    const call = { body: { Code: code, Password: password, ConfirmPassword: password } };
    const answer = await this.#transport.send('setPassword', call, options);
    return acceptedPassword<UserOfCode>(answer).Username;
  }
}

/** Returns the account whose password was set. @throws {RecordError} If the password was not accepted. */
export function acceptedPassword<Account extends object>(
  answer: Answer<'setPassword' | 'setOperatorPassword' | 'changeOperatorPassword'>,
): Account {
  const record = pageOf(answer).record as Account | RefusedPassword;
  if (!('FieldErrors' in record)) return record;
  const { errorCode: Item2, message: Item4 } = answer.body;
  throw new RecordError({ Item2, Item4, Item5: record.FieldErrors }, { requestId: answer.requestId });
}
