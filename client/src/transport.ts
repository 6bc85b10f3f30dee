import { type Answer, readAnswer } from './answer.ts';
import type { Envelope, Operations, Tuple } from './api.gen.ts';
import { AnagrafeError, ApiError, ConnectionError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import type { CallOptions, Settings } from './options.ts';
import { isUnfinished, isWorthRepeating, type Repetition, repetitions, waitBefore } from './repetition.ts';
import { type OperationName, type WrittenRequest, writeRequest } from './request.ts';
import { wait, within } from './time.ts';

/** What a call may bring along beside its parameters. */
export interface Extras extends CallOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Where this call differs from others of its kind. */
  readonly repetition?: Repetition | undefined;
}

/** Sends calls, and sends them again where that is right. */
export class Transport {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** @throws {AnagrafeError} Or the reason of the caller's own signal. */
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
    /** Of a call with a key: what its tuples say is true, whatever becomes of the attempts that follow. */
    let unfinished: Answer<Name> | undefined;

    for (let attempts = 1; ; attempts++) {
      const left = Math.max(0, deadline - Date.now());
      const timeoutMs = Math.min(extras.timeoutMs ?? this.settings.timeoutMs, left);
      const outcome = await this.#attempt(operation, request, { idempotencyKey, signal, timeoutMs });
      let again = true;
      if (outcome instanceof AnagrafeError) again = isWorthRepeating(repetition, outcome);
      else if (repetition === 'keyed' && isUnfinished(tuplesOf(outcome))) unfinished = outcome;
      else return outcome;

      const pause = waitBefore(attempts, retryAfterOf(outcome));
      if (!again || attempts > retries || Date.now() + pause >= deadline) {
        if (unfinished) return unfinished;
        throw outcome;
      }
      await wait(pause, signal);
    }
  }

  /** Gives a failure back; only the caller's own reason is thrown. */
  async #attempt<Name extends OperationName>(
    operation: Name,
    { url, init }: WrittenRequest,
    { idempotencyKey, signal, timeoutMs }: Extras & { readonly timeoutMs: number },
  ): Promise<Answer<Name> | AnagrafeError> {
    const origin = { idempotencyKey };
    // A browser's own fetch cannot be called as a method of something else.
    const { fetch } = this.settings;
    const expired = () => new TimeoutError(timeoutMs, origin);
    try {
      return await within(timeoutMs, signal, expired, async (ending) => {
        const response = await fetch(url, { ...init, signal: ending });
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
  const says = outcome instanceof ApiError || outcome instanceof UnexpectedAnswerError;
  return says ? outcome.retryAfter : null;
}
