import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

const pathShown = 200;

/** One line per call. Neither headers nor bodies nor queries: that is where secrets stand. */
export function logCalls(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, ip, caller } = request;
    const seconds = reply.elapsedTime / 1000;
    const route = request.routeOptions.url ?? 'none';
    metrics.answered(route, method, reply.statusCode, seconds);
    const path = (request.url.split('?', 1)[0] ?? '').slice(0, pathShown);
    request.log.info(
      { method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ip, client: caller?.name },
      'call',
    );
  });
}
