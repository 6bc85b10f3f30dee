import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Fingerprint } from '../encryption/key-ring.ts';
import { JsonError } from '../json/errors.ts';
import { readJson } from '../json/read-json.ts';
import { RecordList } from '../json/record-list.ts';
import { ApiError } from '../lib/field-errors.ts';
import { sourceOf } from '../lib/network.ts';
import { BodyBudget, collect, type MemoryReservation } from './body-memory-limit.ts';
import { onceClosed } from './connections.ts';
import { addressOf } from './credentials.ts';

export interface BodyLimits {
  readonly bytes: number;
  readonly depth: number;
  /** Maximum number of records in a call. */
  readonly records: number;
  /** Maximum number of users in a record. */
  readonly recordUsers: number;
  /** Maximum number of JSON values (strings, numbers, objects, ...); more than a body of full size needs. */
  readonly values: number;
  /** Memory in bytes for the bodies of all concurrent requests of one API client, and what is made of them. */
  readonly clientMemory: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    received: RequestBody;
  }
  interface FastifyContextConfig {
    /** Accepts a request without a body as one without parameters. */
    emptyBody?: boolean;
    /** Maximum number of JSON values, for a route that needs few. Also limits the body to `smallBytes`. */
    maxValues?: number;
    records?: boolean;
  }
}

/** Maximum body size in bytes of a route with `maxValues`, and of any request of a signed-in user. */
const smallBytes = 65_536;
/** Maximum body size in bytes of an unauthenticated request. */
const openBytes = 16_384;
/** Memory in bytes for the bodies of signed-in users and unauthenticated callers together. */
const openTotal = 16 * 1024 * 1024;
const openPerCaller = 1024 * 1024;
/** Time limit in milliseconds to receive such a body. */
const openBodyMs = 10_000;
/** Memory in bytes that each API client may use when others use the total: enough for calls with a few users. */
const guaranteedPerClient = 1024 * 1024;

/** Drains the bodies of requests to unknown paths, so that the answer is about the path and not about the body. */
export function dropBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: Readable) => {
    await collect(payload, 0, refuseAll).catch(() => undefined);
  });
}

function refuseAll(): never {
  throw new ApiError('NOT_FOUND');
}

/** The limits for one body. */
interface Allowance {
  readonly maxBytes: number;
  readonly budget: BodyBudget;
  /** Identifies the caller in the budget. */
  readonly caller: string;
  /** Time limit in milliseconds; null for the limit of the connection. */
  readonly timeoutMs: number | null;
}

/** The body of a request. It holds its memory until the connection of the request has ended, and nothing uses it. */
class RequestBody {
  /** The fingerprint of a request with an idempotency key, with each key that a stored one may have; null without a key. */
  fingerprints: readonly Buffer[] | null = null;
  #memory: MemoryReservation | null = null;
  readonly #closed = new AbortController();
  #isUsed = false;

  constructor(response: ServerResponse) {
    // The close event covers every end of a request: no response hook runs if the client disconnects within the body.
    onceClosed(response, () => {
      this.#closed.abort(new ApiError('INVALID_REQUEST'));
      this.#releaseUnused();
    });
  }

  /** Aborted with an `ApiError` when the connection of the request ends, to stop work whose result can no longer be delivered. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  /** Returns the bytes of the body, of which `declared` are expected. Throws an `ApiError` if they exceed a limit. */
  async read(
    payload: Readable,
    declared: number,
    allowance: Allowance,
    fingerprint: Fingerprint | null,
  ): Promise<Buffer> {
    this.signal.throwIfAborted();
    const { maxBytes, budget, caller, timeoutMs } = allowance;
    const timeout = new AbortController();
    const abort = () => timeout.abort(new ApiError('REQUEST_TIMEOUT'));
    const timer = timeoutMs === null ? undefined : setTimeout(abort, timeoutMs).unref();
    const memory = budget.open(caller, abort);
    this.#memory = memory;
    let length = 0;
    const add = (piece: Buffer) => {
      length += piece.length;
      if (declared > maxBytes || length > maxBytes)
        throw new ApiError('BODY_TOO_LARGE', { variant: 'bytes', figures: { bytes: maxBytes } });
      memory.add(piece.length);
      fingerprint?.update(piece);
    };
    try {
      const bytes = await collect(payload, Math.min(declared, maxBytes), add, timeout.signal);
      memory.complete();
      this.fingerprints = fingerprint?.digests() ?? null;
      return bytes;
    } catch (error) {
      memory.release();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reserves memory to process the body. Throws an `ApiError` OVERLOADED. */
  reserve(bytes: number): void {
    this.#memory?.add(bytes);
  }

  /** Runs work that uses the body, which it may do after the client has disconnected, but does not begin then. */
  async use<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    this.signal.throwIfAborted();
    this.#isUsed = true;
    try {
      return await work();
    } finally {
      this.#isUsed = false;
      this.#releaseUnused();
    }
  }

  #releaseUnused(): void {
    if (this.signal.aborted && !this.#isUsed) this.#memory?.release();
  }
}

/** Reads bodies as strict JSON in time slices. `fingerprintOf` returns null if the request needs no fingerprint. */
export function readBodies(
  app: FastifyInstance,
  limits: BodyLimits,
  fingerprintOf: (request: FastifyRequest) => Fingerprint | null,
): void {
  const clientBudget = new BodyBudget({
    total: 2 * limits.clientMemory,
    perCaller: limits.clientMemory,
    guaranteed: guaranteedPerClient,
    evicts: false,
  });
  const openBudget = new BodyBudget({
    total: openTotal,
    perCaller: openPerCaller,
    guaranteed: 0,
    evicts: true,
  });

  function allowanceOf(request: FastifyRequest): Allowance {
    const { user, permissions, clientId } = request.caller;
    const most = (bytes: number) => Math.min(limits.bytes, bytes);
    if (user || permissions.size === 0) {
      const caller = user ? `user ${user.id}` : sourceOf(addressOf(request));
      const maxBytes = most(user ? smallBytes : openBytes);
      return { maxBytes, budget: openBudget, caller, timeoutMs: openBodyMs };
    }
    const maxBytes = request.routeOptions.config.maxValues === undefined ? limits.bytes : most(smallBytes);
    return { maxBytes, budget: clientBudget, caller: `client ${clientId}`, timeoutMs: null };
  }

  app.decorateRequest('received', null as never);
  app.addHook('onRequest', async (request, reply) => {
    request.received = new RequestBody(reply.raw);
  });
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      return request.received.use(() => handler.call(this, request, reply));
    };
  });
  app.addHook('preValidation', async (request) => {
    if (request.routeOptions.config.emptyBody) request.body ??= {};
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    refuseOtherCodings(request);
    const { maxValues = limits.values, records, emptyBody } = request.routeOptions.config;
    const declared = Number(request.headers['content-length'] ?? 0);
    const fingerprint = fingerprintOf(request);
    const bytes = await request.received.read(payload, declared, allowanceOf(request), fingerprint);
    const { depth: maxDepth, recordUsers: maxRecordUsers, records: maxRecords } = limits;
    const { signal } = request.received;
    const jsonLimits = { maxDepth, maxValues, maxRecordUsers, maxRecords, signal };
    const parse = () => (records ? RecordList.read(bytes, jsonLimits) : readJson(bytes, jsonLimits));
    try {
      return await request.received.use<unknown>(parse);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (error.problem === 'empty' && emptyBody) return undefined;
      throw toApiError(error, limits);
    }
  });
}

function toApiError({ problem, offset, at }: JsonError, { depth, values }: BodyLimits): ApiError {
  if (problem === 'deep' || problem === 'names' || problem === 'values')
    return new ApiError('BODY_TOO_LARGE', { variant: problem, figures: { depth, values } });
  return new ApiError('INVALID_JSON', { variant: problem, figures: { offset, at: at === '' ? '$' : at } });
}

function refuseOtherCodings(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' || (charset !== undefined && !/^utf-?8$/i.test(charset))) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
  }
}
