import type { Hmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../core/faults.ts';
import { JsonError, readJson } from '../core/json/read.ts';
import { RecordList } from '../core/json/record-list.ts';
import { sourceOf } from '../network.ts';
import { BodyBudget, type Hold } from './body-budget.ts';
import { addressOf } from './evidence.ts';
import { collect } from './intake.ts';

export interface BodyLimits {
  readonly bytes: number;
  readonly depth: number;
  /** Strings, numbers, objects and all: what a body of full size needs, and more. */
  readonly values: number;
  /** The bodies of all calls at work together. */
  readonly bytesTogether: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that the request takes; null until its body comes. */
    memory: Hold | null;
    /** How many still need the body: the connection it came on, the work on it. */
    holders: number;
    /** Counts memory that the work on the body takes, up to the end of the answer. Refuses the call where there is none. */
    holdMemory(bytes: number): void;
    /** Of a call that was sent with a key: what tells its body from any other. */
    fingerprint: Buffer | null;
  }
  interface FastifyContextConfig {
    /** Whether a call without a body is one without parameters. */
    emptyBody?: boolean;
    /** How many values the body may hold, where a few are enough; it is small then. */
    maxValues?: number;
    /** Whether the body is to be read as a list of records. */
    records?: boolean;
  }
}

/** The largest body of a call that has few values, and of any call of a signed-in user. */
const smallBytes = 65_536;
/** The largest body of a call that needs no credential. */
const openBytes = 16_384;
/** The memory for the bodies of signed-in users and of those who have shown no credential. */
const openTotal = 16 * 1024 * 1024;
const openPerCaller = 1024 * 1024;
/** How long such a body may take. */
const openBodyMs = 10_000;

/** Whatever is sent to where nothing is gets read and dropped, so that the answer is about the path and not the body. */
export function dropBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: Readable) => {
    await collect(payload, 0, refuseAll).catch(() => undefined);
  });
}

function refuseAll(): never {
  throw new Refusal('NOT_FOUND');
}

/** Bodies are JSON, read strictly and in slices. */
export function readBodies(
  app: FastifyInstance,
  limits: BodyLimits,
  fingerprintOf: (request: FastifyRequest) => Hmac | null,
): void {
  const ofClients = new BodyBudget({
    total: limits.bytesTogether,
    perCaller: limits.bytesTogether / 2,
    evicts: false,
  });
  const ofOthers = new BodyBudget({ total: openTotal, perCaller: openPerCaller, evicts: true });

  function tooLarge(variant: 'bytes' | 'deep' | 'values' | 'names', bytes = limits.bytes): Refusal {
    return new Refusal('BODY_TOO_LARGE', {
      variant,
      figures: { bytes, depth: limits.depth, values: limits.values },
    });
  }

  function refusalOf({ problem, offset, at }: JsonError): Refusal {
    if (problem === 'deep' || problem === 'names' || problem === 'values') return tooLarge(problem);
    return new Refusal('INVALID_JSON', { variant: problem, figures: { offset, at: at === '' ? '$' : at } });
  }

  app.decorateRequest('memory', null);
  app.decorateRequest('fingerprint', null);
  app.decorateRequest('holders', 0);
  app.decorateRequest('holdMemory', function (this: FastifyRequest, bytes: number) {
    this.memory?.addEstimate(bytes);
  });

  function letGo(request: FastifyRequest): void {
    if (--request.holders > 0) return;
    request.memory?.release();
  }
  app.addHook('onRequest', async (request, reply) => {
    request.holders++;
    // However the call ends: a caller that hangs up in the middle of a body gets no response to hook on to.
    reply.raw.once('close', () => letGo(request));
  });
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    // A caller that hangs up does not end the work on its body.
    route.handler = async function (request, reply) {
      request.holders++;
      try {
        return await handler.call(this, request, reply);
      } finally {
        letGo(request);
      }
    };
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    refuseOtherCodings(request);
    const { maxValues, records } = request.routeOptions.config;
    const { caller } = request;
    const isClient = caller.user === null && caller.scopes.size > 0;
    const small = !isClient && caller.user === null ? openBytes : smallBytes;
    const most = isClient && maxValues === undefined ? limits.bytes : Math.min(limits.bytes, small);
    const declared = Number(request.headers['content-length'] ?? 0);
    const fingerprint = fingerprintOf(request);
    const tooSlow = new AbortController();
    const end = () => tooSlow.abort(new Refusal('REQUEST_TIMEOUT'));
    const timer = isClient ? undefined : setTimeout(end, openBodyMs).unref();
    const memory = isClient
      ? ofClients.open(`client ${caller.clientId}`, end)
      : ofOthers.open(caller.user ? `user ${caller.user.id}` : sourceOf(addressOf(request)), end);
    request.memory = memory;
    let length = 0;
    const bytes = await collect(
      payload,
      Math.min(declared, most),
      (piece) => {
        length += piece.length;
        if (declared > most || length > most) throw tooLarge('bytes', most);
        memory.add(piece.length);
        fingerprint?.update(piece);
      },
      tooSlow.signal,
    )
      .catch((error) => {
        memory.release();
        throw error;
      })
      .finally(() => clearTimeout(timer));
    memory.complete();
    request.fingerprint = fingerprint?.digest() ?? null;
    const jsonLimits = { maxDepth: limits.depth, maxValues: maxValues ?? limits.values };
    try {
      return records ? await RecordList.read(bytes, jsonLimits) : await readJson(bytes, jsonLimits);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (error.problem === 'empty' && request.routeOptions.config.emptyBody) return undefined;
      throw refusalOf(error);
    }
  });
}

function refuseOtherCodings(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' || (charset !== undefined && !/^utf-?8$/i.test(charset))) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  }
}
