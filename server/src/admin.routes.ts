import { type AuditTools, auditRoutes } from './audit/audit.routes.ts';
import { type CallHistoryTools, callRoutes, failuresRoute } from './calls/call-history.routes.ts';
import type { FailureStore } from './calls/call-history.ts';
import { clientRoutes } from './clients/clients.routes.ts';
import type { ClientStore } from './clients/clients.ts';
import type { Api } from './http/validation.ts';
import type { JobStore } from './jobs/job.ts';
import { allJobsRoute } from './jobs/jobs.routes.ts';
import type { HashingState } from './passwords/hash-pool.ts';
import { statisticsRoute } from './statistics/statistics.routes.ts';
import type { StatisticsStore } from './statistics/statistics.ts';
import { deliveryRoutes } from './webhooks/deliveries.routes.ts';
import { type WebhookTools, webhookRoutes } from './webhooks/webhooks.routes.ts';

export interface AdminTools {
  readonly clients: ClientStore;
  readonly calls: CallHistoryTools;
  readonly failures: FailureStore;
  readonly audit: AuditTools;
  readonly webhooks: WebhookTools;
  readonly statistics: StatisticsStore;
  readonly hashing: HashingState;
}

/** Registers the routes below `/admin/v1`. Every request needs the scope `admin`. */
export function adminRoutes(app: Api, tools: AdminTools & { readonly jobs: JobStore }): void {
  clientRoutes(app, tools.clients);
  callRoutes(app, tools.calls);
  failuresRoute(app, tools.failures);
  allJobsRoute(app, tools.jobs);
  auditRoutes(app, tools.audit);
  webhookRoutes(app, tools.webhooks);
  deliveryRoutes(app, tools.webhooks.webhooks);
  statisticsRoute(app, tools.statistics, tools.hashing);
}
