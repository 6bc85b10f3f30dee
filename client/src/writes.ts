import type {
  AppliedUser,
  ErrorCode,
  Estimate,
  InsertRecord,
  Job,
  Login,
  Operation,
  Operations,
  Registration,
  RegistrationWithHash,
  Reset,
  StateRecord,
  Tuple,
  UpdateRecord,
  userFields,
} from './api.gen.ts';
import { RecordError, UnexpectedAnswerError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { pageOf, type SendOptions, type Transport } from './transport.ts';

/** The type of a record, by operation. */
export interface RecordsOf {
  update: UpdateRecord;
  insert: InsertRecord;
  state: StateRecord;
}

/** Options of every write. */
export interface KeyOptions extends CallOptions {
  /**
   * The `Idempotency-Key`: 1 to 255 visible ASCII characters. Default: a new random key. To resume an earlier call,
   * send the same records with its key. Ignored for a dry run and for a signed-in user.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a write that is not a job. */
export interface WriteOptions<Dry extends boolean = boolean> extends KeyOptions {
  /** Checks every record without applying it. The result has an `estimate`. */
  readonly dryRun?: Dry | undefined;
  /** Fills `Item6` of applied records with their users and the IDs of these users. */
  readonly representation?: boolean | undefined;
}

/** Result of a write. Records that were not applied are part of it, not an exception. */
export interface WriteResult<Dry extends boolean = boolean> {
  /** The HTTP status: 200 if every record was applied, 207 if some were, otherwise 422, 500 or 503. */
  readonly status: number;
  /** The error code of the call as a whole; null if every record was applied. */
  readonly code: ErrorCode | null;
  /** The message for `code`, for a person; null if every record was applied. */
  readonly message: string | null;
  /** One tuple per record, in the order of the records. `Item3` is true if the record was applied. */
  readonly tuples: readonly Tuple[];
  /** The expected effect and duration of a dry run; null for other calls. */
  readonly estimate: Dry extends true ? Estimate : null;
  /** True if the answer comes from the idempotency store: an earlier call or attempt had the same key. */
  readonly replayed: boolean;
  /**
   * The `Idempotency-Key` of the call. If tuples still have the code `NOT_APPLIED` or `OUTCOME_UNKNOWN` after the last
   * retry, the same call with this key resumes it later. Null for a dry run and for a signed-in user.
   */
  readonly idempotencyKey: string | null;
  /** The request ID in the `X-Request-Id` header and in the log of the service. */
  readonly requestId: string | null;
}

/** @throws {UnexpectedAnswerError} If a call with the same key was submitted as a job. */
export async function write<Name extends Operation, Dry extends boolean = false>(
  transport: Transport,
  operation: Name,
  records: readonly RecordsOf[Name][],
  { dryRun, representation, ...options }: WriteOptions<Dry> = {},
): Promise<WriteResult<Dry>> {
  const sendOptions = withKey(transport, options, dryRun === true);
  const answer = await transport.send(
    operation,
    { query: { dryRun }, body: records } as unknown as Operations[Name]['request'],
    { ...sendOptions, headers: representation ? { Prefer: 'return=representation' } : {} },
  );
  const { status, body, headers, requestId } = answer;
  const origin = { idempotencyKey: sendOptions.idempotencyKey, requestId };
  if (status === 202) {
    const message = 'The call with this key became a job: submit it again with its key to get the job.';
    throw new UnexpectedAnswerError({ status, message }, origin);
  }
  const { records: tuples, record } = pageOf(answer);
  return {
    status,
    code: body.errorCode,
    message: body.message,
    tuples,
    estimate: record as WriteResult<Dry>['estimate'],
    replayed: headers.get('idempotency-replayed') === 'true',
    idempotencyKey: sendOptions.idempotencyKey ?? null,
    requestId,
  };
}

/** @throws {UnexpectedAnswerError} If a call with the same key was answered without a job. */
export async function submit<Name extends Operation>(
  transport: Transport,
  operation: Name,
  records: readonly RecordsOf[Name][],
  options: KeyOptions = {},
): Promise<Job> {
  const sendOptions = withKey(transport, options, false);
  const answer = await transport.send(
    operation,
    { body: records } as unknown as Operations[Name]['request'],
    { ...sendOptions, headers: { Prefer: 'respond-async' } },
  );
  const { status, requestId } = answer;
  if (status === 202) return pageOf(answer).record as Job;
  const message =
    'The call with this key was answered at once: send it again with its key to get its tuples.';
  throw new UnexpectedAnswerError(
    { status, message },
    { idempotencyKey: sendOptions.idempotencyKey, requestId },
  );
}

/**
 * Adds an `Idempotency-Key`, which makes retries safe. A dry run writes nothing and needs no key. A signed-in user may
 * not send one, so its writes are retried only if the service did not start them.
 */
function withKey({ settings }: Transport, options: KeyOptions, dryRun: boolean): SendOptions {
  const { idempotencyKey, ...rest } = options;
  if (dryRun) return { ...rest, policy: 'always' };
  if ('AccessToken' in settings.userHeaders) return { ...rest, policy: 'not-started' };
  return { ...rest, idempotencyKey: checkKey(idempotencyKey ?? newIdempotencyKey()) };
}

/** Returns 128 random bits in hexadecimal. `crypto.randomUUID` is not available to pages loaded over plain HTTP. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters');
}

/** A user to register, with either a password or a password hash. */
export type NewUser = UserTexts &
  (
    | { readonly Username: string; readonly Password: string }
    | { readonly Username: string; readonly PasswordHash: string }
  );

type UserTexts = { readonly [Field in keyof typeof userFields]?: string | null };

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
