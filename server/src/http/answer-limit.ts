import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../lib/network.ts';
import { overloaded } from '../lib/overloaded.ts';
import { Sums } from '../lib/sums.ts';
import { CallLimit, rateLimited } from './call-limit.ts';
import { onceClosed } from './connections.ts';
import { addressOf } from './credentials.ts';

interface AnswerLimits {
  readonly total: number;
  readonly perCaller: number;
  /** Maximum wait for a place in milliseconds. */
  readonly waitMs: number;
  /** Maximum number of requests of a caller that wait for a place. */
  readonly waitingPerCaller: number;
}

const retrySeconds = 5;
/** The part of the places that callers with an answer may take. The rest is kept for those without one. */
const sharedPart = 0.75;
const tooManyAnswers = new Error('too many answers are being sent');

/**
 * Limits the answers that are prepared and sent at once, because each of them holds memory until it is read: in total,
 * and per caller, so that no caller can take all places. Further requests wait, and get OVERLOADED after `waitMs`.
 */
export class AnswerLimit {
  readonly #limits: AnswerLimits;
  #total = 0;
  readonly #byCaller = new Sums();
  /** Waiting requests in the order of their arrival. */
  readonly #waiting = new Set<{ readonly caller: string; admit(): void }>();

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a place and prepares an answer. The place is taken until the answer is prepared and its response is closed:
   * a client that gives up does not end the work of its request.
   */
  async run<Result>(
    caller: string,
    response: ServerResponse,
    prepare: () => Result,
  ): Promise<Awaited<Result>> {
    if (response.destroyed) throw overloaded(retrySeconds, tooManyAnswers);
    if (this.#hasPlace(caller)) this.#take(caller);
    else if (this.#countWaiting(caller) < this.#limits.waitingPerCaller) await this.#wait(caller, response);
    else throw overloaded(retrySeconds, tooManyAnswers);
    let left = 2;
    const end = () => {
      left--;
      if (left === 0) this.#release(caller);
    };
    onceClosed(response, end);
    try {
      return await prepare();
    } finally {
      end();
    }
  }

  #hasPlace(caller: string): boolean {
    const taken = this.#byCaller.of(caller);
    const total = taken === 0 ? this.#limits.total : this.#limits.total * sharedPart;
    return this.#total < total && taken < this.#limits.perCaller;
  }

  #countWaiting(caller: string): number {
    let count = 0;
    for (const waiter of this.#waiting) if (waiter.caller === caller) count++;
    return count;
  }

  #take(caller: string): void {
    this.#total++;
    this.#byCaller.add(caller, 1);
  }

  #wait(caller: string, response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        reject(overloaded(retrySeconds, tooManyAnswers));
      };
      const waiter = {
        caller,
        admit: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiter);
          this.#take(caller);
          resolve();
        },
      };
      const timer = setTimeout(giveUp, this.#limits.waitMs).unref();
      this.#waiting.add(waiter);
      onceClosed(response, giveUp);
    });
  }

  #release(caller: string): void {
    this.#total--;
    this.#byCaller.add(caller, -1);
    for (const waiter of this.#waiting) {
      if (this.#total >= this.#limits.total) return;
      if (this.#hasPlace(waiter.caller)) waiter.admit();
    }
  }
}

const waiting = { waitMs: 20_000, waitingPerCaller: 64 };

/**
 * The limits of the answers to API clients, to signed-in users and other callers of the API, of public routes, and of
 * the metrics.
 */
export const answerLimits = {
  clients: { total: 64, perCaller: 4, ...waiting },
  others: { total: 256, perCaller: 16, ...waiting },
  public: { total: 256, perCaller: 64, ...waiting },
  metrics: { total: 64, perCaller: 16, ...waiting },
} as const satisfies Record<string, AnswerLimits>;

/** Limits the calls per minute of each caller, and the answers to it. */
export class CallerLimits {
  readonly #calls: CallLimit;
  readonly #answers: AnswerLimit;

  constructor(answers: AnswerLimits, callsPerMinute = 6000) {
    this.#calls = new CallLimit(callsPerMinute);
    this.#answers = new AnswerLimit(answers);
  }

  /** Counts the call and waits for a place for its answer. */
  async admit(caller: string, reply: FastifyReply): Promise<void> {
    const { current, ttl } = this.#calls.count(caller);
    if (current > this.#calls.max) throw rateLimited('calls', Math.ceil(ttl / 1000));
    await this.#answers.run(caller, reply.raw, () => undefined);
  }

  /** Admits a call without a valid credential: it counts for its address. */
  admitAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.admit(sourceOf(addressOf(request)), reply);
  }
}

/** Limits the routes of an app that need no credential. */
export function limitPublicRoutes(app: FastifyInstance, limits: CallerLimits): void {
  app.addHook('onRequest', (request, reply) => limits.admitAddress(request, reply));
}
