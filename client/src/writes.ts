import { pageOf } from './answer.ts';
import type {
  ErrorCode,
  Estimate,
  InsertRecord,
  Job,
  Operation,
  Operations,
  StateRecord,
  Tuple,
  UpdateRecord,
} from './api.gen.ts';
import { UnexpectedAnswerError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Extras, Transport } from './transport.ts';

/** The records that an operation takes. */
export interface RecordsOf {
  update: UpdateRecord;
  insert: InsertRecord;
  state: StateRecord;
}

/** What every write takes. */
export interface KeyOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters; a new one unless given. Give the key of a call to have that call carried on. */
  readonly idempotencyKey?: string | undefined;
}

/** What a write that is answered at once takes. */
export interface WriteOptions<Dry extends boolean = boolean> extends KeyOptions {
  /** Makes every check and does nothing; the result has an `estimate`. */
  readonly dryRun?: Dry | undefined;
  /** Fills `Item6` of applied records with their users and the users' IDs. */
  readonly representation?: boolean | undefined;
}

/** What became of the records of a call. */
export interface WriteResult<Dry extends boolean = boolean> {
  /** 200 where every record was applied, 207 for some of them, else 422, 500 or 503. */
  readonly status: number;
  /** What it comes to; null where every record was applied. */
  readonly code: ErrorCode | null;
  readonly message: string | null;
  /** One for each record, in the order sent: look at `Item3` of each. */
  readonly tuples: readonly Tuple[];
  /** What a dry run would do; null for any other call. */
  readonly estimate: Dry extends true ? Estimate : null;
  /** Whether this is the answer to an earlier call with the same key, or to an earlier attempt of this one. */
  readonly replayed: boolean;
  /**
   * Where tuples say `NOT_APPLIED` or `OUTCOME_UNKNOWN` although the call was sent again and again: the same call with
   * this key carries on later. Null for a dry run, and for a signed-in user.
   */
  readonly idempotencyKey: string | null;
  readonly requestId: string | null;
}

export async function write<Name extends Operation, Dry extends boolean = false>(
  transport: Transport,
  operation: Name,
  records: readonly RecordsOf[Name][],
  { dryRun, representation, ...options }: WriteOptions<Dry> = {},
): Promise<WriteResult<Dry>> {
  const extras = withKey(transport, options, dryRun === true);
  const answer = await transport.send(
    operation,
    { query: { dryRun }, body: records } as unknown as Operations[Name]['request'],
    { ...extras, headers: representation ? { Prefer: 'return=representation' } : {} },
  );
  const { status, body, headers, requestId } = answer;
  const origin = { idempotencyKey: extras.idempotencyKey, requestId };
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
    idempotencyKey: extras.idempotencyKey ?? null,
    requestId,
  };
}

export async function submit<Name extends Operation>(
  transport: Transport,
  operation: Name,
  records: readonly RecordsOf[Name][],
  options: KeyOptions = {},
): Promise<Job> {
  const extras = withKey(transport, options, false);
  const answer = await transport.send(
    operation,
    { body: records } as unknown as Operations[Name]['request'],
    { ...extras, headers: { Prefer: 'respond-async' } },
  );
  const { status, requestId } = answer;
  if (status === 202) return pageOf(answer).record as Job;
  const message =
    'The call with this key was answered at once: send it again with its key to get its tuples.';
  throw new UnexpectedAnswerError({ status, message }, { idempotencyKey: extras.idempotencyKey, requestId });
}

/** Every write has a key of its own, so that it can be sent again; a dry run needs none, a signed-in user may have none. */
function withKey({ settings }: Transport, options: KeyOptions, dryRun: boolean): Extras {
  const { idempotencyKey, ...rest } = options;
  if (dryRun) return { ...rest, repetition: 'safe' };
  if ('AccessToken' in settings.userHeaders) return { ...rest, repetition: 'refused' };
  return { ...rest, idempotencyKey: checked(idempotencyKey ?? newKey()) };
}

/** Not `crypto.randomUUID`, which a page that came over plain http does not have. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function checked(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters');
}
