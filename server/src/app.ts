import helmet from '@fastify/helmet';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { loginRoutes } from './accounts/login.routes.ts';
import type { Accounts } from './accounts/open-accounts.ts';
import { accountPages, builtAccountPages } from './accounts/pages.routes.ts';
import { passwordRoutes } from './accounts/password.routes.ts';
import { ownSessionRoutes, sessionRoutes } from './accounts/sessions.routes.ts';
import { auditRoutes } from './audit/audit.routes.ts';
import { eventRoute } from './audit/events.routes.ts';
import type { Audit } from './audit/open-audit.ts';
import { callRoutes, failuresRoute } from './calls/call-history.routes.ts';
import type { Calls } from './calls/open-calls.ts';
import { runRoutes } from './calls/runs.routes.ts';
import { writeRoutes } from './calls/write.routes.ts';
import { fingerprintBy } from './calls/write-handler.routes.ts';
import { guard, identifyBy, openThrottledLookup, recordRefused } from './clients/authentication.plugin.ts';
import { limitCalls, limitReads } from './clients/call-limits.plugin.ts';
import { clientRoutes } from './clients/clients.routes.ts';
import type { Clients } from './clients/open-clients.ts';
import { consoleFiles, consolePage } from './console/console.routes.ts';
import { consoleSessionRoutes } from './console/console-session.routes.ts';
import { builtGuides, guidePages } from './console/guides.routes.ts';
import { operatorSessionRoutes } from './console/operator-session.routes.ts';
import { ownAccountRoutes } from './console/own-account.routes.ts';
import type { Readiness } from './db/readiness.ts';
import { healthRoutes, metricsRoute } from './health.routes.ts';
import { answerLimits, CallerLimits, limitPublicRoutes } from './http/answer-limit.ts';
import { type BodyLimits, dropBodies, readBodies } from './http/body.ts';
import { allowOrigins } from './http/cors.ts';
import { answerFailures } from './http/errors.ts';
import { describeApi, documentRoutes } from './http/openapi.ts';
import { registerRequestContext } from './http/request-context.ts';
import { createServer } from './http/server.ts';
import { type Api, type SchemaTypes, validateQueries } from './http/validation.ts';
import { jobInvitationRoute } from './jobs/job-invitations.routes.ts';
import { allJobsRoute, jobRoutes } from './jobs/jobs.routes.ts';
import type { Jobs } from './jobs/open-jobs.ts';
import type { Brand } from './lib/brand.ts';
import { networkList } from './lib/network.ts';
import { version } from './lib/package-folder.ts';
import { type MailTools, mailRoutes } from './mail/mails.routes.ts';
import { logCalls, type Metrics } from './metrics.ts';
import type { Operators } from './operators/open-operators.ts';
import { operatorRoutes } from './operators/operators.routes.ts';
import type { HashScheduler } from './passwords/hash-scheduler.ts';
import { workingMemory } from './records/check/memory-estimates.ts';
import type { Records } from './records/open-records.ts';
import { exportRoute } from './records/read/export.routes.ts';
import { readRoutes } from './records/read/listing.routes.ts';
import type { Config } from './settings/config.ts';
import { serviceSettings, settingsRoute } from './settings/settings.routes.ts';
import type { Health } from './statistics/health.ts';
import { healthReportRoute } from './statistics/health-report.routes.ts';
import { statisticsRoute } from './statistics/statistics.routes.ts';
import type { StatisticsStore } from './statistics/statistics.ts';
import type { Tracing } from './tracing.ts';
import { deliveryRoutes } from './webhooks/deliveries.routes.ts';
import { type WebhookTools, webhookRoutes } from './webhooks/webhooks.routes.ts';

/** The features, of which each registers its routes. */
export interface Features {
  readonly audit: Audit;
  readonly clients: Clients;
  readonly records: Records;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly operators: Operators;
  readonly mails: MailTools;
  readonly calls: Calls;
  readonly webhooks: WebhookTools;
  readonly statistics: StatisticsStore;
  readonly hashing: HashScheduler;
  readonly health: () => Promise<Health>;
}

interface AppOptions {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** Null if the console is not built. */
  readonly consoleFolder: string | null;
  readonly brand: Brand;
  /** Null unless traces are wanted. */
  readonly tracing: Tracing | null;
}

/** Number of bodies of full size that a client may send at once, if its calls have few records and users. */
const bodiesAtOnce = 4;
/** Bytes of stored values that a dry run may show for each user: those of some changed fields. */
const shownPerUser = 512;
/** JSON values that a body may contain for each record and each user that a job may have. */
const valuesPerRecord = 16;

function bodyLimits(config: Config): BodyLimits {
  const bytes = config.MAX_BODY_BYTES;
  const largestCall = Math.max(
    workingMemory({ bytes, count: config.MAX_RECORDS, users: config.MAX_USERS }, 'whole'),
    workingMemory({ bytes, count: config.MAX_JOB_RECORDS, users: config.MAX_JOB_USERS }, 'in groups') +
      config.MAX_JOB_USERS * shownPerUser,
  );
  return {
    bytes,
    depth: config.MAX_DEPTH,
    values: valuesPerRecord * (config.MAX_JOB_RECORDS + config.MAX_JOB_USERS),
    clientMemory: Math.max(bytes * bodiesAtOnce, bytes + largestCall),
    records: Math.max(config.MAX_RECORDS, config.MAX_JOB_RECORDS),
    recordUsers: config.MAX_RECORD_USERS,
  };
}

/** Registers the routes of every feature. */
export async function buildApp(features: Features, options: AppOptions): Promise<FastifyInstance> {
  const { brand, config, metrics, readiness, consoleFolder, tracing } = options;
  const { access } = features.clients;
  const app = createServer({ log: options.log, trustedProxies: config.TRUST_PROXY });
  if (tracing) await app.register(tracing.requestSpans);
  registerRequestContext(app);
  dropBodies(app);
  logCalls(app, metrics);
  answerFailures(app);
  await app.register(helmet, {
    contentSecurityPolicy: {
      directives: {
        'upgrade-insecure-requests': null,
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
        'font-src': ["'self'", 'data:'],
        'style-src': ["'self'", "'unsafe-inline'"],
      },
    },
    strictTransportSecurity: false,
  });
  await describeApi(app, version);
  const trust = {
    proxies: networkList(config.TRUST_PROXY),
    hosts: new Set(config.ALLOWED_HOSTS.map((host) => host.toLowerCase())),
  };
  const lookUpThrottled = openThrottledLookup(trust, features.audit.log);
  const identifyCaller = identifyBy(access, lookUpThrottled);
  const publicLimits = new CallerLimits(answerLimits.public);
  healthRoutes(app, { readiness });
  await app.register(async (open) => {
    // Health checks are not limited: a flood must not make a node appear unready, and their answers are tiny.
    limitPublicRoutes(open, publicLimits);
    await documentRoutes(open);
    const guides = builtGuides();
    if (guides) await guidePages(open, guides);
    if (consoleFolder === null) consolePage(open, { version, readiness, access });
    else await consoleFiles(open, consoleFolder);
    const accountFolder = builtAccountPages();
    if (accountFolder) await accountPages(open, accountFolder, { brand, minLength: config.PASSWORD_MIN });
  });
  metricsRoute(app, { metrics, identifyCaller, trust, publicLimits });
  // The API routes share authentication, one body memory limit and one rate limit per client.
  await app.register(async (scope) => {
    const api = scope.withTypeProvider<SchemaTypes>();
    allowOrigins(api, config.ALLOWED_ORIGINS, app);
    // A shared cache must not serve one client's response to another client.
    api.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    guard(api, identifyCaller, recordRefused(features.audit.log));
    validateQueries(api);
    await limitCalls(api, config.CALLS_PER_MINUTE);
    limitReads(api);
    readBodies(api, bodyLimits(config), fingerprintBy(features.calls.newFingerprint));
    consoleSessionRoutes(api, {
      ...features.clients,
      lookUpThrottled,
      idleMinutes: config.CONSOLE_IDLE_MINUTES,
      sendsMail: features.mails.mailer !== null,
      brand,
    });
    const { operators, signIn: operatorSignIn } = features.operators;
    const people = { ...features.clients, lookUpThrottled, operatorSignIn, operators };
    operatorSessionRoutes(api, people);
    ownAccountRoutes(api, people);
    await api.register(async (sync) => syncRoutes(sync, features), { prefix: '/api/sync/v1' });
    await api.register(async (admin) => adminRoutes(admin, features, config), { prefix: '/admin/v1' });
  });
  return app;
}

function syncRoutes(api: Api, { calls, records, jobs, audit, accounts }: Features): void {
  const auditLog = audit.log;
  writeRoutes(api, calls);
  readRoutes(api, { ...records, auditLog });
  exportRoute(api, { ...records, auditLog });
  jobRoutes(api, { jobs: jobs.store, auditLog });
  jobInvitationRoute(api, jobs);
  eventRoute(api, audit.events);
  loginRoutes(api, accounts.signIn);
  passwordRoutes(api, accounts.password);
  ownSessionRoutes(api, accounts.userSessions);
}

/** Registers the routes below `/admin/v1`. Every request needs the scope `admin`. */
function adminRoutes(api: Api, features: Features, config: Config): void {
  const { audit, clients, calls, jobs, mails, webhooks, accounts } = features;
  clientRoutes(api, clients.store);
  operatorRoutes(api, features.operators.operators);
  callRoutes(api, { store: calls.history, auditLog: audit.log });
  failuresRoute(api, calls.history);
  runRoutes(api, calls);
  allJobsRoute(api, jobs.store);
  mailRoutes(api, mails);
  auditRoutes(api, audit);
  webhookRoutes(api, webhooks);
  deliveryRoutes(api, webhooks.store);
  statisticsRoute(api, features.statistics, features.hashing);
  sessionRoutes(api, accounts.userSessions);
  settingsRoute(api, serviceSettings(config));
  const embedded = config.DATABASE_URL === null;
  healthReportRoute(api, { examine: features.health, embedded });
}
