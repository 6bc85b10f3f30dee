import type {
  DeleteRecord,
  ErrorCode,
  Estimate,
  InsertRecord,
  InviteRecord,
  Job,
  MergeRecord,
  Operations,
  StateRecord,
  Tuple,
  UpdateRecord,
  UpsertCounts,
  UpsertPlan,
  UpsertRecord,
  UpsertTuple,
} from './api.gen.ts';
import { UnexpectedAnswerError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { pageOf, type SendOptions, type Transport } from './transport.ts';

/** The type of a record, by operation. */
export interface RecordsOf {
  update: UpdateRecord;
  insert: InsertRecord;
  state: StateRecord;
  upsert: UpsertRecord;
  delete: DeleteRecord;
  merge: MergeRecord;
  invite: InviteRecord;
}

/** The operations whose dry run returns a plan. */
export type PlannedOperation = 'upsert' | 'merge';

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

/** Options of {@link Anagrafe.insert} and of a job that inserts. */
export interface InsertRules {
  /**
   * `refuse` rejects a new principal that looks like another one, unless its record has `Similar: 'allow'`. Default:
   * `allow`.
   */
  readonly similar?: 'allow' | 'refuse' | undefined;
}

/** Options of {@link Anagrafe.insert}. */
export interface InsertOptions<Dry extends boolean = boolean> extends WriteOptions<Dry>, InsertRules {}

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
export async function write<
  Name extends Exclude<keyof RecordsOf, PlannedOperation>,
  Dry extends boolean = false,
>(
  transport: Transport,
  operation: Name,
  records: readonly RecordsOf[Name][],
  options: InsertOptions<Dry> = {},
): Promise<WriteResult<Dry>> {
  const { record, tuples, ...result } = await send(transport, operation, records, options);
  return { ...result, tuples: tuples as Tuple[], estimate: record as WriteResult<Dry>['estimate'] };
}

/** Options of a job that invites by email. */
export interface MailRate {
  /** Maximum number of mails per minute to the users that the job invites. Default: as many as the mail server accepts. */
  readonly perMinute?: number | undefined;
}

/** Options of {@link Anagrafe.upsert} and of a job that upserts. */
export interface UpsertRules extends InsertRules {
  /** Action for users of the sent principals that are not in `Users`. Default: `keep`. */
  readonly missing?: 'keep' | 'disable' | 'delete' | undefined;
  /** Action for the passwords of existing users. Default: `keep`. */
  readonly passwords?: 'keep' | 'overwrite' | undefined;
  /** `refuse` rejects a principal whose fields differ from the stored ones. Default: `update`. */
  readonly existing?: 'update' | 'refuse' | undefined;
  /** `allow` moves users of other principals to the principal of their record. Default: `refuse`. */
  readonly moves?: 'allow' | 'refuse' | undefined;
  /**
   * The `plan` of a dry run of the same records with the same rules. If the stored data that it rests on has changed
   * since, the call fails with the code `PLAN_OUTDATED` and changes nothing.
   */
  readonly ifMatch?: string | undefined;
}

/** Options of {@link Anagrafe.merge}. */
export type MergeOptions<Dry extends boolean = boolean> = Omit<
  UpsertOptions<Dry>,
  Exclude<keyof UpsertRules, 'ifMatch'>
>;

/** Options of {@link Anagrafe.upsert}. */
export interface UpsertOptions<Dry extends boolean = boolean> extends WriteOptions<Dry>, UpsertRules {
  /** Only for a dry run: returns only the tuples of records that would change something or fail. */
  readonly changed?: boolean | undefined;
  /** Only for a dry run: the page of tuples, from 1. Without it, all tuples are returned. */
  readonly page?: number | undefined;
  /** Only for a dry run: tuples per page. */
  readonly pageSize?: number | undefined;
}

/** Result of an upsert or of a merge. */
export interface UpsertResult<Dry extends boolean = boolean>
  extends Omit<WriteResult, 'estimate' | 'tuples'> {
  /** One tuple per record, in the order of the records. A user that a dry run would register has no `ID`. */
  readonly tuples: readonly UpsertTuple[];
  /** How many principals and users were, or would be, inserted, changed, disabled and deleted. */
  readonly counts: Dry extends true ? UpsertPlan : UpsertCounts;
  /** Pass it as `ifMatch` to apply exactly what a dry run has shown; null for other calls. */
  readonly plan: Dry extends true ? string : null;
}

export async function writePlanned<Name extends PlannedOperation, Dry extends boolean = false>(
  transport: Transport,
  operation: Name,
  records: readonly RecordsOf[Name][],
  options: UpsertOptions<Dry> = {},
): Promise<UpsertResult<Dry>> {
  const { changed, page, pageSize, ...rest } = options;
  const query = { changed, page, pageSize };
  const { record, tuples, ...result } = await send(transport, operation, records, { ...rest, query });
  const counts = record as UpsertResult<Dry>['counts'];
  const plan = ('Plan' in counts ? counts.Plan : null) as UpsertResult<Dry>['plan'];
  return { ...result, tuples: tuples as UpsertTuple[], counts, plan };
}

interface SendRecords extends WriteOptions, UpsertRules {
  readonly query?: Readonly<Record<string, unknown>>;
}

/** The answer to a write. The type of the tuples depends on the operation. */
interface SentRecords extends Omit<WriteResult, 'estimate' | 'tuples'> {
  readonly tuples: readonly unknown[];
  readonly record: unknown;
}

/** Sends a call that is answered at once. `record` is `result.record` of the envelope. */
async function send<Name extends keyof RecordsOf>(
  transport: Transport,
  operation: Name,
  records: readonly RecordsOf[Name][],
  { dryRun, representation, query, ...options }: SendRecords,
): Promise<SentRecords> {
  const { rules, headers: conditions, ...rest } = splitRules(options);
  const sendOptions = withKey(transport, rest, dryRun === true);
  const answer = await transport.send(
    operation,
    { query: { dryRun, ...rules, ...query }, body: records } as unknown as Operations[Name]['request'],
    {
      ...sendOptions,
      headers: { ...conditions, ...(representation && { Prefer: 'return=representation' }) },
    },
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
    record,
    replayed: headers.get('idempotency-replayed') === 'true',
    idempotencyKey: sendOptions.idempotencyKey ?? null,
    requestId,
  };
}

/** Separates the rules of an upsert, which are query parameters and a header, from the options of the call. */
function splitRules<Options extends UpsertRules & KeyOptions & MailRate>(options: Options) {
  const { missing, passwords, existing, similar, moves, perMinute, ifMatch, ...rest } = options;
  const headers = ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` };
  return { ...rest, rules: { missing, passwords, existing, similar, moves, perMinute }, headers };
}

/** @throws {UnexpectedAnswerError} If a call with the same key was answered without a job. */
export async function submit<Name extends keyof RecordsOf>(
  transport: Transport,
  operation: Name,
  records: readonly RecordsOf[Name][],
  options: KeyOptions & UpsertRules & MailRate = {},
): Promise<Job> {
  const { rules, headers, ...rest } = splitRules(options);
  const sendOptions = withKey(transport, rest, false);
  const answer = await transport.send(
    operation,
    { query: rules, body: records } as unknown as Operations[Name]['request'],
    { ...sendOptions, headers: { ...headers, Prefer: 'respond-async' } },
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
export function withKey({ settings }: Transport, options: KeyOptions, dryRun: boolean): SendOptions {
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

/** Returns a random UUID (version 4), which identifies a run. */
export function newRun(): string {
  const digits = newIdempotencyKey();
  const [, one, two, three, four, five] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/.exec(digits) ?? [];
  return [one, two, `4${three}`, `8${four}`, five].join('-');
}

function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters');
}
