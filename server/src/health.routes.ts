import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseLimited, requirePermission } from './clients/access.ts';
import type { Identify } from './clients/authentication.plugin.ts';
import type { Readiness } from './db/readiness.ts';
import { answerLimits, CallerLimits } from './http/answer-limit.ts';
import { readEvidence, type TrustSettings } from './http/credentials.ts';
import type { Metrics } from './metrics.ts';

const hidden = { logLevel: 'warn', schema: { hide: true }, exposeHeadRoute: true } as const;

/** Registers the redirect to the console, and the liveness and readiness probes. */
export function healthRoutes(app: FastifyInstance, { readiness }: { readiness: Readiness }): void {
  app.get('/', hidden, async (_request, reply) => reply.redirect('/console'));

  app.get('/health/live', hidden, async () => ({ status: 'live' }));

  app.get('/health/ready', hidden, async (_request, reply) => {
    const reason = await readiness.check();
    if (reason === null) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', reason });
  });
}

/**
 * Registers the Prometheus metrics. A caller is authenticated before its call and its answer count, so that rejected
 * calls of others, also from the same address, do not keep out a monitoring system: those count as public calls.
 */
export function metricsRoute(
  app: FastifyInstance,
  tools: {
    metrics: Metrics;
    identifyCaller: Identify;
    trust: TrustSettings;
    publicLimits: CallerLimits;
    limits?: CallerLimits;
  },
): void {
  const { metrics, identifyCaller, trust, publicLimits } = tools;
  const limits = tools.limits ?? new CallerLimits(answerLimits.metrics);

  async function identifyScraper(request: FastifyRequest): Promise<string> {
    const evidence = readEvidence(request, trust);
    // A scraper on this machine needs no credential; any other needs one with the scope `sync:read`.
    if (evidence.direct && evidence.credentials.length === 0) return 'this machine';
    const caller = await identifyCaller(request);
    requirePermission(caller, 'metrics.read');
    refuseLimited(caller);
    return `client ${caller.clientId}`;
  }

  app.get('/metrics', hidden, async (request, reply) => {
    let scraper: string;
    try {
      scraper = await identifyScraper(request);
    } catch (error) {
      await publicLimits.admitAddress(request, reply);
      throw error;
    }
    await limits.admit(scraper, reply);
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
