import type { Hmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../core/faults.ts';
import { JsonError, readJson } from '../core/json/read.ts';
import { RecordList } from '../core/json/record-list.ts';
import { collect, Intake } from './intake.ts';

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
    bodyBytes: number;
    /** Who still needs the body: the connection it came on, the work on it. */
    holders: number;
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

/** Of a body of few values: whoever has shown no credential must not take up the room of those who have. */
const smallBytes = 65_536;

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
  const intake = new Intake(limits.bytesTogether);

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

  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('fingerprint', null);
  app.decorateRequest('holders', 0);

  function letGo(request: FastifyRequest): void {
    if (--request.holders > 0) return;
    intake.release(request.bodyBytes);
    request.bodyBytes = 0;
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
    const most = maxValues === undefined ? limits.bytes : Math.min(limits.bytes, smallBytes);
    const declared = Number(request.headers['content-length'] ?? 0);
    const fingerprint = fingerprintOf(request);
    const bytes = await collect(payload, Math.min(declared, most), (piece) => {
      const { length } = piece;
      if (declared > most || request.bodyBytes + length > most) throw tooLarge('bytes', most);
      intake.hold(length);
      request.bodyBytes += length;
      fingerprint?.update(piece);
    });
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
