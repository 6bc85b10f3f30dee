import type { FastifyInstance } from 'fastify';
import type { ClientStore } from '../core/access/clients.ts';
import type { RefusedRecordStore } from '../core/calls/refused-record.ts';
import type { JobStore } from '../core/jobs/job.ts';
import type { StatisticsStore } from '../core/statistics/statistics.ts';
import type { TestTools } from '../core/webhooks/test.ts';
import type { HashingState } from './metrics.ts';
import { type AuditTools, auditRoutes } from './routes/admin/audit.ts';
import { type CallTools, callRoutes } from './routes/admin/calls.ts';
import { clientRoutes } from './routes/admin/clients.ts';
import { deliveryRoutes } from './routes/admin/deliveries.ts';
import { failuresRoute } from './routes/admin/failures.ts';
import { allJobsRoute } from './routes/admin/jobs.ts';
import { statisticsRoute } from './routes/admin/statistics.ts';
import { webhookSecretRoutes } from './routes/admin/webhook-secret.ts';
import { type WebhookTools, webhookRoutes } from './routes/admin/webhooks.ts';

export interface AdminTools {
  readonly clients: ClientStore;
  readonly calls: CallTools;
  readonly failures: RefusedRecordStore;
  readonly audit: AuditTools;
  readonly webhooks: WebhookTools & TestTools;
  readonly statistics: StatisticsStore;
  readonly hashing: HashingState;
}

/** `/admin/v1`: for those who look after the service. The scope of every call is `admin`. */
export function adminRoutes(app: FastifyInstance, tools: AdminTools & { readonly jobs: JobStore }): void {
  clientRoutes(app, tools.clients);
  callRoutes(app, tools.calls);
  failuresRoute(app, tools.failures);
  allJobsRoute(app, tools.jobs);
  auditRoutes(app, tools.audit);
  webhookRoutes(app, tools.webhooks);
  deliveryRoutes(app, tools.webhooks.webhooks);
  webhookSecretRoutes(app, tools.webhooks);
  statisticsRoute(app, tools);
}
