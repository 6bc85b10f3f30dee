import type { Hmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
  /** Maximum number of users in a record. */
  readonly recordUsers: number;
  /** Maximum number of JSON values (strings, numbers, objects, ...); more than a body of full size needs. */
  readonly values: number;
  /** Maximum bytes of the bodies of all concurrent requests of API clients. */
  readonly bytesTogether: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory reservation of the request; null until its body arrives. */
    memory: MemoryReservation | null;
    /** Reference count of the body: the connection and the handler. At 0 the memory is released. */
    holders: number;
    /** Reserves memory to process the body, until the request ends. Throws an `ApiError` OVERLOADED. */
    holdMemory(bytes: number): void;
    /** HMAC of the body of a request with an idempotency key; null without a key. */
    fingerprint: Buffer | null;
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

/** Reads bodies as strict JSON in time slices. `fingerprintOf` returns null if the request needs no fingerprint. */
export function readBodies(
  app: FastifyInstance,
  limits: BodyLimits,
  fingerprintOf: (request: FastifyRequest) => Hmac | null,
): void {
  const clientBudget = new BodyBudget({
    total: limits.bytesTogether,
    perCaller: limits.bytesTogether / 2,
    guaranteed: guaranteedPerClient,
    evicts: false,
  });
  const openBudget = new BodyBudget({
    total: openTotal,
    perCaller: openPerCaller,
    guaranteed: 0,
    evicts: true,
  });

  function tooLarge(variant: 'bytes' | 'deep' | 'values' | 'names', bytes = limits.bytes): ApiError {
    return new ApiError('BODY_TOO_LARGE', {
      variant,
      figures: { bytes, depth: limits.depth, values: limits.values },
    });
  }

  function toApiError({ problem, offset, at }: JsonError): ApiError {
    if (problem === 'deep' || problem === 'names' || problem === 'values') return tooLarge(problem);
    return new ApiError('INVALID_JSON', { variant: problem, figures: { offset, at: at === '' ? '$' : at } });
  }

  app.decorateRequest('memory', null);
  app.decorateRequest('fingerprint', null);
  app.decorateRequest('holders', 0);
  app.decorateRequest('holdMemory', function (this: FastifyRequest, bytes: number) {
    this.memory?.addEstimate(bytes);
  });

  function releaseBody(request: FastifyRequest): void {
    if (--request.holders > 0) return;
    request.memory?.release();
  }
  app.addHook('onRequest', async (request, reply) => {
    request.holders++;
    // The close event covers every end of a request: no response hook runs if the client disconnects within the body.
    onceClosed(reply.raw, () => releaseBody(request));
  });
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    // The handler counts as a holder, because it continues to use the body after the client has disconnected.
    route.handler = async function (request, reply) {
      request.holders++;
      try {
        return await handler.call(this, request, reply);
      } finally {
        releaseBody(request);
      }
    };
  });

  app.addHook('preValidation', async (request) => {
    if (request.routeOptions.config.emptyBody) request.body ??= {};
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    refuseOtherCodings(request);
    // The connection is lost: nothing would release the memory of the body.
    if (request.holders === 0) throw new ApiError('INVALID_REQUEST');
    const { maxValues, records } = request.routeOptions.config;
    const { caller } = request;
    const isClient = caller.user === null && caller.scopes.size > 0;
    const small = !isClient && caller.user === null ? openBytes : smallBytes;
    const maxBytes = isClient && maxValues === undefined ? limits.bytes : Math.min(limits.bytes, small);
    const declared = Number(request.headers['content-length'] ?? 0);
    const fingerprint = fingerprintOf(request);
    const timeout = new AbortController();
    const abort = () => timeout.abort(new ApiError('REQUEST_TIMEOUT'));
    const timer = isClient ? undefined : setTimeout(abort, openBodyMs).unref();
    const memory = isClient
      ? clientBudget.open(`client ${caller.clientId}`, abort)
      : openBudget.open(caller.user ? `user ${caller.user.id}` : sourceOf(addressOf(request)), abort);
    request.memory = memory;
    let length = 0;
    const bytes = await collect(
      payload,
      Math.min(declared, maxBytes),
      (piece) => {
        length += piece.length;
        if (declared > maxBytes || length > maxBytes) throw tooLarge('bytes', maxBytes);
        memory.add(piece.length);
        fingerprint?.update(piece);
      },
      timeout.signal,
    )
      .catch((error) => {
        memory.release();
        throw error;
      })
      .finally(() => clearTimeout(timer));
    memory.complete();
    request.fingerprint = fingerprint?.digest() ?? null;
    const jsonLimits = {
      maxDepth: limits.depth,
      maxValues: maxValues ?? limits.values,
      maxRecordUsers: limits.recordUsers,
    };
    try {
      return records ? await RecordList.read(bytes, jsonLimits) : await readJson(bytes, jsonLimits);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (error.problem === 'empty' && request.routeOptions.config.emptyBody) return undefined;
      throw toApiError(error);
    }
  });
}

function refuseOtherCodings(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' || (charset !== undefined && !/^utf-?8$/i.test(charset))) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
  }
}
