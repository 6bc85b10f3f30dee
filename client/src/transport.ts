import { type Envelope, type ErrorCode, type Operations, type Page, routes, type Tuple } from './api.gen.ts';
import { readBytes } from './byte-stream.ts';
import {
  AnagrafeError,
  ApiError,
  ConnectionError,
  type Origin,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';
import type { CallOptions, Settings } from './options.ts';
import {
  backoffAfter,
  delay,
  hasUnfinished,
  mayRetry,
  type RetryPolicy,
  readRetryAfter,
  retryPolicies,
  withTimeout,
} from './retry.ts';

/** Options of a single call, in addition to the parameters of its operation. */
export interface SendOptions extends CallOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Overrides the retry policy of the operation for this call. */
  readonly policy?: RetryPolicy | undefined;
}

/** Sends calls with `fetch` and retries them according to their retry policy. */
export class Transport {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** @throws {AnagrafeError} After the last attempt. If `signal` is aborted, throws its reason instead. */
  async send<Name extends OperationName>(
    operation: Name,
    call: Operations[Name]['request'],
    options: SendOptions = {},
  ): Promise<Answer<Name>> {
    return this.#retry(operation, call, options, (response, origin) =>
      readAnswer(operation, response, origin),
    );
  }

  /**
   * Sends a call that is answered with a stream, and returns the bytes. It is retried until the answer begins. After
   * that an error, or a pause longer than `timeoutMs`, throws while the bytes are read.
   */
  async stream<Name extends StreamName>(
    operation: Name,
    call: Operations[Name]['request'],
    options: SendOptions = {},
  ): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
    const { body } = await this.#retry(operation, call, options, async (response, origin) =>
      response.status === 200 && response.body !== null
        ? { ...headOf(response), body: response.body }
        : readAnswer(operation, response, origin).then(({ status }) => {
            throw notAnagrafe(status, null, origin);
          }),
    );
    return readBytes(body, {
      timeoutMs: options.timeoutMs ?? this.settings.timeoutMs,
      signal: options.signal,
    });
  }

  async #retry<Name extends OperationName, Result extends ResponseHead>(
    operation: Name,
    call: Operations[Name]['request'],
    options: SendOptions,
    read: (response: Response, origin: Origin) => Promise<Result>,
  ): Promise<Result> {
    const { idempotencyKey, signal, policy = retryPolicies[operation] } = options;
    const { retries, totalTimeoutMs, onConfirmationRequired } = this.settings;
    const headers = { ...options.headers, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) };
    const request = writeRequest(operation, call, headers, this.settings);
    let deadline = Date.now() + totalTimeoutMs;
    /** The last answer with unfinished records. Its tuples stay valid even if a later attempt fails. */
    let unfinished: Result | undefined;

    for (let attempts = 1; ; attempts++) {
      const remainingMs = Math.max(0, deadline - Date.now());
      const timeoutMs = Math.min(options.timeoutMs ?? this.settings.timeoutMs, remainingMs);
      const outcome = await this.#attempt(request, { idempotencyKey, signal, timeoutMs }, read);
      if (isUnconfirmed(outcome) && (await onConfirmationRequired?.())) {
        deadline = Date.now() + totalTimeoutMs;
        continue;
      }
      let retryable = true;
      if (outcome instanceof AnagrafeError) retryable = mayRetry(policy, outcome);
      else if (policy === 'with-key' && hasUnfinished(tuplesOf(outcome))) unfinished = outcome;
      else return outcome;

      const backoffMs = backoffAfter(attempts, retryAfterOf(outcome));
      if (!retryable || attempts > retries || Date.now() + backoffMs >= deadline) {
        if (unfinished) return unfinished;
        throw outcome;
      }
      await delay(backoffMs, signal);
    }
  }

  /** Sends a call and returns `result` of its envelope. */
  async page<Name extends OperationName>(
    operation: Name,
    call: Operations[Name]['request'],
    options?: SendOptions,
  ): Promise<PageOf<Operations[Name]['answer']>> {
    return pageOf(await this.send(operation, call, options));
  }

  /** Sends a call and returns `result.record` of its envelope. */
  async record<Name extends OperationName>(
    operation: Name,
    call: Operations[Name]['request'],
    options?: SendOptions,
  ): Promise<PageOf<Operations[Name]['answer']>['record']> {
    return (await this.page(operation, call, options)).record;
  }

  /** Returns an error instead of throwing it. Throws only the reason of the caller's signal. */
  async #attempt<Result>(
    { url, init }: WrittenRequest,
    { idempotencyKey, signal, timeoutMs }: SendOptions & { readonly timeoutMs: number },
    read: (response: Response, origin: Origin) => Promise<Result>,
  ): Promise<Result | AnagrafeError> {
    const origin = { idempotencyKey };
    // Called as a plain function: the fetch of a browser throws "Illegal invocation" as a method of another object.
    const { fetch } = this.settings;
    const expired = () => new TimeoutError(timeoutMs, origin);
    try {
      return await withTimeout(timeoutMs, signal, expired, async (attemptSignal) => {
        const response = await fetch(url, { ...init, signal: attemptSignal });
        return read(response, origin);
      });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      return error instanceof AnagrafeError ? error : new ConnectionError({ ...origin, cause: error });
    }
  }
}

function isUnconfirmed(outcome: unknown): boolean {
  return outcome instanceof ApiError && outcome.code === 'CONFIRMATION_REQUIRED';
}

function tuplesOf({ body }: ResponseHead & { readonly body?: unknown }): readonly Tuple[] {
  return (body as Envelope<Tuple, unknown>).result?.records ?? [];
}

function retryAfterOf(outcome: ResponseHead | AnagrafeError): number | null {
  if (!(outcome instanceof AnagrafeError)) return outcome.retryAfter;
  const isResponse = outcome instanceof ApiError || outcome instanceof UnexpectedAnswerError;
  return isResponse ? outcome.retryAfter : null;
}

export type OperationName = keyof Operations;

/** Operations that answer with a stream instead of an envelope. */
export type StreamName = 'exportRecords' | 'issueInvitations';

/** A serialised request. Every attempt of a call sends the same bytes. */
interface WrittenRequest {
  readonly url: string;
  readonly init: RequestInit;
}

/** Operations sent without the access token: they need no session and must not fail because an old one has expired. */
const withoutSession: readonly OperationName[] = ['login', 'refresh', 'forgotPassword', 'setPassword'];

function writeRequest<Name extends OperationName>(
  operation: Name,
  call: Operations[Name]['request'],
  headers: Readonly<Record<string, string>>,
  settings: Settings,
): WrittenRequest {
  const { path = {}, query = {}, body } = call as RequestParts;
  const { method, path: template } = routes[operation];
  const pathname = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathSegment(String(path[name])));
  const defined = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(defined.map(([name, value]): [string, string] => [name, String(value)]));
  return {
    url: `${settings.url}${pathname}${defined.length > 0 ? `?${search}` : ''}`,
    init: {
      method,
      // When fetch follows a redirect to another origin, it also sends the custom headers, which contain the keys.
      redirect: 'manual',
      ...(settings.credentials && { credentials: settings.credentials }),
      headers: {
        ...settings.headers,
        ...settings.clientHeaders,
        ...(withoutSession.includes(operation) ? {} : settings.userHeaders),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
  };
}

/** Rejects an empty segment, `.` and `..`, because URL normalisation would change the path to another operation. */
function pathSegment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError('there is no such ID');
  return encodeURIComponent(text);
}

interface RequestParts {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface ResponseHead {
  readonly status: number;
  /** Seconds to wait before a retry, from the `Retry-After` header; null without a readable header. */
  readonly retryAfter: number | null;
  readonly headers: Headers;
  readonly requestId: string | null;
}

/** A response with a result. `status` may be 4xx or 5xx if records were not applied. */
export interface Answer<Name extends OperationName> extends ResponseHead {
  readonly body: Operations[Name]['answer'];
}

/** Operations that answer with a bare array of failed records, which can be sent again, instead of an envelope. */
const withoutEnvelope: readonly OperationName[] = ['failedRecords', 'failedRecordsOfCall'];

/**
 * @throws {ApiError} If the service rejected the call as a whole.
 * @throws {UnexpectedAnswerError} If the body is not an envelope with the status of the response.
 */
async function readAnswer<Name extends OperationName>(
  operation: Name,
  response: Response,
  origin: Origin,
): Promise<Answer<Name>> {
  const head = headOf(response);
  const { status, retryAfter, requestId } = head;
  const body = parseJson(await response.text());
  const answer = { ...head, body: body as Operations[Name]['answer'] };
  if (withoutEnvelope.includes(operation) && status === 200 && Array.isArray(body)) return answer;
  if (!isEnvelope(body) || body.statusCode !== status) throw notAnagrafe(status, retryAfter, origin);
  if (body.result !== null) return answer;
  const { errorCode: code, message } = body;
  throw new ApiError({ code, status, message, retryAfter }, { ...origin, requestId });
}

function headOf({ status, headers }: Response): ResponseHead {
  const retryAfter = readRetryAfter(headers.get('retry-after'));
  return { status, headers, retryAfter, requestId: headers.get('x-request-id') };
}

function notAnagrafe(status: number, retryAfter: number | null, origin: Origin): UnexpectedAnswerError {
  const message = `What answered with status ${status} is not Anagrafe.`;
  return new UnexpectedAnswerError({ status, message, retryAfter }, origin);
}

type PageOf<Body> = Body extends Envelope<infer Item, infer About> ? Page<Item, About> : never;

/** Returns `result` of the envelope. Every operation has an envelope except those in `withoutEnvelope`. */
export function pageOf<Name extends OperationName>({
  body,
}: Answer<Name>): PageOf<Operations[Name]['answer']> {
  return (body as Envelope<unknown, unknown>).result as PageOf<Operations[Name]['answer']>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An envelope with a result, or the envelope of an `ApiError`, which always has a code and a message. */
type ReceivedEnvelope =
  | (Envelope<unknown, unknown> & { result: Page<unknown, unknown> })
  | { statusCode: number; errorCode: ErrorCode; message: string; result: null };

function isEnvelope(body: unknown): body is ReceivedEnvelope {
  if (typeof body !== 'object' || body === null || !('statusCode' in body) || !('result' in body))
    return false;
  const { errorCode, message, result } = body as Partial<ReceivedEnvelope>;
  if (result === null) return typeof errorCode === 'string' && typeof message === 'string';
  return typeof result === 'object' && Array.isArray(result.records);
}
