// Refuses calls because of overload before they are authenticated, see `refuseEarly`.

import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../clients/access.ts';
import { rateLimitKey } from '../clients/authentication.plugin.ts';
import { onceClosed } from '../http/connections.ts';
import { errorEnvelope } from '../http/envelope.ts';
import type { CallLimit, CountedCall } from '../http/rate-limit-store.ts';
import { languageOf } from '../http/request-context.ts';
import { wantsAsync } from '../http/request-options.ts';
import { statusOf } from '../http/status.ts';
import type { Language } from '../i18n/translate.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { HashReservation } from '../passwords/hash-reservation.ts';
import type { EarlyCall, EarlyReservation } from './early-refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key of the callers that may be refused before authentication; null if this call may not be. */
    refusalKey: string | null;
    /** The places in the hash queue of a call that was admitted before its authentication; null without any. */
    reservation: EarlyReservation | null;
  }
  interface FastifyContextConfig {
    /** True if calls may be refused because of overload before they are authenticated. */
    refusesEarly?: boolean;
  }
}

export interface EarlyRefusalTools {
  readonly callLimit: CallLimit;
  admitEarly(call: EarlyCall): ApiError | EarlyReservation | null;
  /** Logs or counts a refused request. */
  noteRejection(error: ApiError, request: FastifyRequest): void;
}

/** A caller who was authenticated and then answered with 503. */
interface RefusedCaller {
  readonly caller: Caller;
  readonly rateLimitKey: string;
  readonly language: Language;
  /** Name and value, in turn, of the headers that are the same in every such answer. */
  readonly headers: readonly string[];
  /** When a request was last authenticated, a value of `performance.now()`. */
  authenticatedAt: number;
  /** When a call was last let through to be authenticated again. */
  renewedAt: number;
}

/** The time for which calls are refused after an authentication. */
const knownForMs = 2000;
/** The time after which one of the calls is authenticated again, while the others are still refused. */
const renewAfterMs = 500;
const callersMax = 1000;
const maxBytes = 16_384;

/** Request headers whose values differ from call to call and affect neither the authentication nor the answer. */
const ownOfCall = new Set(['content-length', 'x-request-id', 'traceparent', 'tracestate']);
/** Headers of an answer that belong to one call. */
const ownOfAnswer = new Set([
  'content-length',
  'x-request-id',
  'retry-after',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]);

/**
 * Refuses calls because of overload without a query of the database, so that refusals leave the processor to the calls
 * that are applied.
 *
 * A call may be refused here if a call with the same headers from the same address was answered with 503, and one was
 * authenticated within the last two seconds. It gets the same headers in its answer. Nothing but this refusal depends
 * on the earlier authentication: every other call, also of a client that was revoked meanwhile, is authenticated and
 * handled as usual. A call with an idempotency key is too, because its stored answer may exist.
 */
export function refuseEarly(app: FastifyInstance, tools: EarlyRefusalTools): void {
  const { callLimit } = tools;
  const refused = new Map<string, RefusedCaller>();
  /** The bodies of the answers by language and seconds of `Retry-After`. */
  const texts = new Map<string, string>();
  let isClosed = false;
  app.decorateRequest('refusalKey', null);
  app.decorateRequest('reservation', null);

  app.addHook('preClose', async () => {
    isClosed = true;
    refused.clear();
  });

  app.addHook('onRequest', (request, reply, done) => {
    const known = refused.size > 0 && mayRefuse(request) ? find(request) : undefined;
    if (!known) return done();
    // A small body usually arrives with the headers, and is available once the HTTP parser has read both.
    process.nextTick(() => {
      if (!refuse(request, reply, known)) done();
    });
  });

  // Runs after the authentication.
  app.addHook('preValidation', (request, _reply, done) => {
    const known = request.refusalKey === null ? undefined : refused.get(request.refusalKey);
    if (known) known.authenticatedAt = Math.max(known.authenticatedAt, request.startedAt);
    done();
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const { statusCode } = reply;
    if (statusCode === statusOf('OVERLOADED') && !isClosed && mayRefuse(request)) remember(request, reply);
    else if (request.refusalKey !== null && (statusCode === 401 || statusCode === 403))
      refused.delete(request.refusalKey);
    done(null, payload);
  });

  function find(request: FastifyRequest): RefusedCaller | undefined {
    const key = keyOf(request);
    request.refusalKey = key;
    const known = refused.get(key);
    if (!known) return undefined;
    const { startedAt: now } = request;
    if (now > known.authenticatedAt + knownForMs) {
      refused.delete(key);
      return undefined;
    }
    if (now < Math.max(known.authenticatedAt, known.renewedAt) + renewAfterMs) return known;
    known.renewedAt = now;
    return undefined;
  }

  function remember(request: FastifyRequest, reply: FastifyReply): void {
    const caller: Caller | null = request.caller;
    // The password of a signed-in user is changed by other rules.
    if (!caller || caller.kind === 'anonymous' || caller.user) return;
    // An answer that closes its connection is no model for others.
    if (reply.hasHeader('connection')) return;
    const headers = Object.entries(reply.getHeaders())
      .filter(([name]) => !ownOfAnswer.has(name))
      .flatMap(([name, value]) => [name, String(value)]);
    const key = request.refusalKey ?? keyOf(request);
    const known = refused.get(key);
    refused.delete(key);
    refused.set(key, {
      caller,
      rateLimitKey: rateLimitKey(request),
      language: languageOf(request),
      headers,
      authenticatedAt: Math.max(known?.authenticatedAt ?? 0, request.startedAt),
      renewedAt: known?.renewedAt ?? 0,
    });
    const [oldest] = refused.keys();
    if (refused.size > callersMax && oldest !== undefined) refused.delete(oldest);
  }

  function textOf({ detail, retryAfterSeconds = 0 }: ApiError, language: Language): string {
    const name = `${language} ${retryAfterSeconds}`;
    const text = texts.get(name) ?? JSON.stringify(errorEnvelope(detail, language, null));
    texts.set(name, text);
    return text;
  }

  /** Returns false if the call must be handled as usual. */
  function refuse(request: FastifyRequest, reply: FastifyReply, known: RefusedCaller): boolean {
    const { raw, waitsSince } = request;
    const isWhole = raw.readableLength === Number(request.headers['content-length']);
    const body: Buffer | null = isWhole ? raw.read() : null;
    if (!body) return false;
    const admitted = tools.admitEarly({ body, clientId: known.caller.clientId, waitsSince });
    if (admitted instanceof ApiError) {
      const counted = callLimit.count(known.rateLimitKey);
      if (!counted.isExceeded) {
        answer(admitted, counted, known, request, reply);
        return true;
      }
    } else if (admitted) hold(admitted, request, reply);
    // Makes the body readable again.
    raw.unshift(body);
    return false;
  }

  function answer(
    error: ApiError,
    counted: CountedCall,
    known: RefusedCaller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    reply.hijack();
    // Consumes the end of the body, so that the connection can be used again.
    request.raw.resume();
    request.caller = known.caller;
    tools.noteRejection(error, request);
    const text = textOf(error, known.language);
    reply.raw.writeHead(statusOf(error.detail.code), [
      ...known.headers,
      'x-request-id',
      request.id,
      'retry-after',
      String(error.retryAfterSeconds),
      'x-ratelimit-remaining',
      String(counted.remaining),
      'x-ratelimit-reset',
      String(counted.resetSeconds),
      'content-length',
      String(Buffer.byteLength(text)),
    ]);
    reply.raw.end(text);
  }
}

/** Keeps the places until the handler takes them, and gives them up if the request ends before. */
function hold(reservation: EarlyReservation, request: FastifyRequest, reply: FastifyReply): void {
  request.reservation = reservation;
  onceClosed(reply.raw, () => request.reservation?.places.release());
}

/** Returns the places of the call, which the caller of this function has to give up. */
export function takeReservation(request: FastifyRequest): HashReservation | null {
  const { reservation } = request;
  request.reservation = null;
  if (!reservation || reservation.clientId === request.caller.clientId) return reservation?.places ?? null;
  reservation.places.release();
  return null;
}

function mayRefuse({ raw, headers, routeOptions }: FastifyRequest): boolean {
  const length = Number(headers['content-length']);
  return (
    routeOptions.config.refusesEarly !== undefined &&
    headers['idempotency-key'] === undefined &&
    (headers.prefer === undefined || !wantsAsync(headers)) &&
    // Reading an empty body would end it before the call is handled.
    length > 0 &&
    length <= maxBytes &&
    raw.url?.includes('?') === false
  );
}

/**
 * Returns a digest of everything that authenticates a request and decides about its answer, except for the body: the
 * address of the peer, the request line and all headers. A digest, because headers contain secrets.
 */
function keyOf({ raw }: FastifyRequest): string {
  const { rawHeaders } = raw;
  let text = `${raw.socket.remoteAddress} ${raw.httpVersion} ${raw.method} ${raw.url}`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    text += `\n${name}:${ownOfCall.has(name) ? '' : rawHeaders[at + 1]}`;
  }
  return hash('sha256', text, 'base64');
}
