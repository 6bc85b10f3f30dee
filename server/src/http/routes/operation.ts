import type { FastifyInstance } from 'fastify';
import { demandScope } from '../../core/access/access.ts';
import type { Identify } from '../access.ts';
import { readEvidence, type TrustSettings } from '../evidence.ts';
import type { Metrics } from '../metrics.ts';

export interface Readiness {
  /** Null when calls can be served, else the reason in one sentence. */
  check(): Promise<string | null>;
}

/** What operators and their machines ask: where to begin, alive, ready, how it goes. */
export function operationRoutes(
  app: FastifyInstance,
  tools: { readiness: Readiness; metrics: Metrics; identifyCaller: Identify; trust: TrustSettings },
): void {
  const { readiness, metrics, identifyCaller, trust } = tools;

  app.get('/', { logLevel: 'warn', schema: { hide: true } }, async (_request, reply) =>
    reply.redirect('/console'),
  );

  app.get('/health/live', { logLevel: 'warn', schema: { hide: true } }, async () => ({ status: 'live' }));

  app.get('/health/ready', { logLevel: 'warn', schema: { hide: true } }, async (_request, reply) => {
    const reason = await readiness.check();
    if (reason === null) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', reason });
  });

  app.get('/metrics', { logLevel: 'warn', schema: { hide: true } }, async (request, reply) => {
    const evidence = readEvidence(request, trust);
    // A collector on this machine needs no credential; any other shows one that may read.
    if (!evidence.direct || evidence.credentials.length > 0)
      demandScope(await identifyCaller(request), 'sync:read');
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
