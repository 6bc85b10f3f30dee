import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { AnswerLimit, answerLimits } from '../http/answer-limit.ts';
import { CallLimit, rateLimited } from '../http/call-limit.ts';
import { rateLimitKey } from './authentication.plugin.ts';

/** Limits the requests per minute of each API client, signed-in user or unauthenticated source address. */
export async function limitCalls(api: FastifyInstance, perMinute: number): Promise<void> {
  const limit = new CallLimit(perMinute);
  await api.register(rateLimit, {
    hook: 'preParsing',
    max: limit.max,
    timeWindow: limit.windowMs,
    store: class {
      incr = limit.incr.bind(limit);
      child = () => limit.child();
    },
    keyGenerator: rateLimitKey,
    errorResponseBuilder: (_request, { ttl }) => rateLimited('calls', Math.ceil(ttl / 1000)),
  });
}

/** Limits the answers to reads. API clients have places of their own, which no other caller can take. */
export function limitReads(api: FastifyInstance): void {
  const clients = new AnswerLimit(answerLimits.clients);
  const others = new AnswerLimit(answerLimits.others);
  api.addHook('onRoute', (route) => {
    if (route.method !== 'GET' && route.config?.permission !== 'records.read') return;
    const { handler } = route;
    route.handler = function (request, reply) {
      const limit = request.caller.permissions.size > 0 ? clients : others;
      return limit.run(rateLimitKey(request), reply.raw, () => handler.call(this, request, reply));
    };
  });
}
