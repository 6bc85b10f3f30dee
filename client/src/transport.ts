import { type Answer, readAnswer } from './answer.ts';
import type { Envelope, Operations, Tuple } from './api.gen.ts';
import { AnagrafeError, ApiError, ConnectionError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import type { CallOptions, Settings } from './options.ts';
import { isUnfinished, isWorthRepeating, type Repetition, repetitions, waitBefore } from './repetition.ts';
import { type OperationName, type WrittenRequest, writeRequest } from './request.ts';
import { wait, within } from './time.ts';

/** Options of a single call, in addition to the parameters of its operation. */
export interface Extras extends CallOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Overrides the retry policy of the operation for this call. */
  readonly repetition?: Repetition | undefined;
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
    extras: Extras = {},
  ): Promise<Answer<Name>> {
    const { idempotencyKey, signal, repetition = repetitions[operation] } = extras;
    const { retries, patienceMs } = this.settings;
    const headers = { ...extras.headers, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) };
    const request = writeRequest(operation, call, headers, this.settings);
    const deadline = Date.now() + patienceMs;
    /** The last answer with unfinished records. Its tuples stay valid even if a later attempt fails. */
    let unfinished: Answer<Name> | undefined;

    for (let attempts = 1; ; attempts++) {
      const remainingMs = Math.max(0, deadline - Date.now());
      const timeoutMs = Math.min(extras.timeoutMs ?? this.settings.timeoutMs, remainingMs);
      const outcome = await this.#attempt(operation, request, { idempotencyKey, signal, timeoutMs });
      let mayRetry = true;
      if (outcome instanceof AnagrafeError) mayRetry = isWorthRepeating(repetition, outcome);
      else if (repetition === 'keyed' && isUnfinished(tuplesOf(outcome))) unfinished = outcome;
      else return outcome;

      const backoffMs = waitBefore(attempts, retryAfterOf(outcome));
      if (!mayRetry || attempts > retries || Date.now() + backoffMs >= deadline) {
        if (unfinished) return unfinished;
        throw outcome;
      }
      await wait(backoffMs, signal);
    }
  }

  /** Returns an error instead of throwing it. Throws only the reason of the caller's signal. */
  async #attempt<Name extends OperationName>(
    operation: Name,
    { url, init }: WrittenRequest,
    { idempotencyKey, signal, timeoutMs }: Extras & { readonly timeoutMs: number },
  ): Promise<Answer<Name> | AnagrafeError> {
    const origin = { idempotencyKey };
    // Called as a plain function: the fetch of a browser throws "Illegal invocation" as a method of another object.
    const { fetch } = this.settings;
    const expired = () => new TimeoutError(timeoutMs, origin);
    try {
      return await within(timeoutMs, signal, expired, async (attemptSignal) => {
        const response = await fetch(url, { ...init, signal: attemptSignal });
        return readAnswer(operation, response, origin);
      });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      return error instanceof AnagrafeError ? error : new ConnectionError({ ...origin, cause: error });
    }
  }
}

function tuplesOf({ body }: Answer<OperationName>): readonly Tuple[] {
  return (body as Envelope<Tuple, unknown>).result?.records ?? [];
}

function retryAfterOf(outcome: Answer<OperationName> | AnagrafeError): number | null {
  if (!(outcome instanceof AnagrafeError)) return outcome.retryAfter;
  const isResponse = outcome instanceof ApiError || outcome instanceof UnexpectedAnswerError;
  return isResponse ? outcome.retryAfter : null;
}
