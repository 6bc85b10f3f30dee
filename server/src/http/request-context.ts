import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Code } from '../lib/error-codes.ts';
import { ApiError } from '../lib/field-errors.ts';
import { type Language, languages } from '../lib/translate.ts';
import { addressOf } from './credentials.ts';
import type { Debug } from './envelope.ts';
import { isFlagged, qualitiesOf } from './request-options.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Start of the request, a value of `performance.now()`. */
    startedAt: number;
  }
}

/**
 * Sets the start time and the `X-Request-Id` header of every request. Rejects HTTP versions other than 1.0 and 1.1, and
 * HTTP/1.1 without a `Host` header.
 */
export function registerRequestContext(app: FastifyInstance): void {
  app.decorateRequest('startedAt', 0);
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now();
    reply.header('x-request-id', request.id);
    const { httpVersion } = request.raw;
    if (httpVersion !== '1.0' && (httpVersion !== '1.1' || request.headers.host === undefined))
      return done(new ApiError('INVALID_REQUEST'));
    done();
  });
}

/** Returns the supported language with the highest quality in `Accept-Language`, or English. */
export function languageOf({ headers }: FastifyRequest): Language {
  let best: Language = 'en';
  let bestQuality = 0;
  for (const [range, quality] of qualitiesOf(headers['accept-language'])) {
    const language = range.split('-')[0] ?? '';
    if (isLanguage(language) && quality > bestQuality) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}

/**
 * Returns the debug part of the envelope if the request has `?debug=true`, otherwise null. It has a link to the page of
 * the error code, if there is one.
 */
export function debugOf(request: FastifyRequest, errorCode: Code | null = null): Debug | null {
  if (!isFlagged(request, 'debug')) return null;
  const duration = performance.now() - request.startedAt;
  const now = Date.now();
  return {
    RequestTime: new Date(now - duration).toISOString(),
    ResponseTime: new Date(now).toISOString(),
    Duration: Math.round(duration * 1000) / 1000,
    ClientIP: addressOf(request),
    RequestId: request.id,
    ...(errorCode !== null && { Help: `/docs/pages/errors.html#${errorCode.toLowerCase()}` }),
  };
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}
