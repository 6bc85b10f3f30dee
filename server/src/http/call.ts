import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../core/faults.ts';
import type { Language } from '../core/language/say.ts';
import type { Debug } from './envelope.ts';
import { addressOf } from './evidence.ts';
import { chooseLanguage } from './language.ts';
import { isFlagged } from './query.ts';

declare module 'fastify' {
  interface FastifyRequest {
    startedAt: number;
  }
}

/** What the answer to any request needs to know of it. */
export function followCalls(app: FastifyInstance): void {
  app.decorateRequest('startedAt', 0);
  app.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now();
    reply.header('x-request-id', request.id);
    const { httpVersion } = request.raw;
    if (httpVersion !== '1.0' && (httpVersion !== '1.1' || request.headers.host === undefined))
      throw new Refusal('INVALID_REQUEST');
  });
}

export function languageOf(request: FastifyRequest): Language {
  return chooseLanguage(request.headers['accept-language']);
}

/** How the call was served, for those who ask with `?debug=true`. */
export function debugOf(request: FastifyRequest): Debug | null {
  if (!isFlagged(request, 'debug')) return null;
  const duration = performance.now() - request.startedAt;
  const now = Date.now();
  return {
    RequestTime: new Date(now - duration).toISOString(),
    ResponseTime: new Date(now).toISOString(),
    Duration: Math.round(duration * 1000) / 1000,
    ClientIP: addressOf(request),
    RequestId: request.id,
  };
}
