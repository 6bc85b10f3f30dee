import { type Hmac, randomUUID } from 'node:crypto';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { loginRoutes } from './accounts/login.routes.ts';
import type { UserSessionStore } from './accounts/session.ts';
import { sessionRoutes } from './accounts/sessions.routes.ts';
import type { SignInTools } from './accounts/sign-in.ts';
import { type AuditTools, auditRoutes } from './audit/audit.routes.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { eventRoute } from './audit/events.routes.ts';
import type { EventStore } from './audit/events.ts';
import { type CallHistoryTools, callRoutes, failuresRoute } from './calls/call-history.routes.ts';
import type { FailureStore } from './calls/call-history.ts';
import { upsertRoutes } from './calls/upsert.routes.ts';
import { fingerprintBy, type WriteRouteTools, writeRoutes } from './calls/write.routes.ts';
import type { AccessStore } from './clients/access.ts';
import {
  guard,
  type Identify,
  identifyBy,
  openThrottledLookup,
  rateLimitKey,
  type ThrottledLookup,
} from './clients/authentication.plugin.ts';
import { clientRoutes } from './clients/clients.routes.ts';
import type { ClientStore } from './clients/clients.ts';
import type { ConsoleStore } from './clients/console-session.ts';
import { consoleFiles, consolePage } from './console/console.routes.ts';
import { consoleSessionRoutes } from './console/console-session.routes.ts';
import type { Readiness } from './db/readiness.ts';
import { healthRoutes, metricsRoute } from './health.routes.ts';
import { AnswerLimit, answerLimits, limitPublicRoutes } from './http/answer-limit.ts';
import { type BodyLimits, dropBodies, readBodies } from './http/body.ts';
import { Connections } from './http/connections.ts';
import { allowOrigins } from './http/cors.ts';
import { answerBrokenRequest, answerFailures, sendApiError } from './http/errors.ts';
import { describeApi, documentRoutes } from './http/openapi.ts';
import { CallLimit, rateLimited } from './http/rate-limit-store.ts';
import { registerRequestContext } from './http/request-context.ts';
import { type Api, compileRequestSchema, type SchemaTypes, validateQueries } from './http/validation.ts';
import { allJobsRoute, jobRoutes } from './jobs/jobs.routes.ts';
import { ApiError } from './lib/field-errors.ts';
import { networkList } from './lib/network.ts';
import { logCalls, type Metrics } from './metrics.ts';
import type { HashingState } from './passwords/hash-pool.ts';
import { exportRoute } from './records/read/export.routes.ts';
import type { Exporter } from './records/read/export.ts';
import { readRoutes } from './records/read/listing.routes.ts';
import type { ListingStore } from './records/read/listing.ts';
import { type ShownSetting, settingsRoute } from './settings/settings.routes.ts';
import { statisticsRoute } from './statistics/statistics.routes.ts';
import type { StatisticsStore } from './statistics/statistics.ts';
import { deliveryRoutes } from './webhooks/deliveries.routes.ts';
import { type WebhookTools, webhookRoutes } from './webhooks/webhooks.routes.ts';

export interface AppOptions extends WriteRouteTools {
  readonly version: string;
  readonly log: FastifyBaseLogger;
  readonly limits: BodyLimits;
  /** Rate limit in requests per minute, for each API client, signed-in user or unauthenticated source address. */
  readonly callsPerMinute: number;
  readonly trustedProxies: readonly string[];
  /** `Host` names accepted from clients that are identified by address; any other may be a DNS rebinding attack. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may call the routes of users (CORS). */
  readonly allowedOrigins: readonly string[];
  /** Returns a new keyed hash for the fingerprint of a request body. */
  newFingerprint(): Hmac;
  readonly listing: ListingStore;
  readonly exporter: Exporter;
  readonly auditLog: AuditLog;
  readonly events: EventStore;
  readonly signIn: SignInTools;
  readonly userSessions: UserSessionStore;
  readonly access: AccessStore;
  readonly sessions: ConsoleStore;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  readonly clients: ClientStore;
  readonly calls: CallHistoryTools;
  readonly failures: FailureStore;
  readonly audit: AuditTools;
  readonly webhooks: WebhookTools;
  readonly statistics: StatisticsStore;
  readonly hashing: HashingState;
  /** The settings of this node, with secrets masked. */
  readonly settings: readonly ShownSetting[];
  readonly consoleFolder: string | null;
}

const validRequestId = /^[\w.-]{1,64}$/;

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const connections = new Connections();
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: connections.createServer,
    // A HEAD request would read the whole answer from the database, and drop it.
    exposeHeadRoutes: false,
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: ({ headers }) => {
      const sent = headers['x-request-id'];
      return typeof sent === 'string' && validRequestId.test(sent) ? sent : randomUUID();
    },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) =>
      sendApiError(new ApiError('NOT_FOUND'), request, reply.header('x-request-id', request.id)),
  });
  app.setValidatorCompiler(compileRequestSchema);
  app.setSerializerCompiler(() => JSON.stringify);

  // By default Node drops every header after the 1,000th, including those that a proxy appended. The size of all
  // headers stays limited to 16 KiB; Node answers a larger request with 431.
  app.server.maxHeadersCount = 0;
  // By default Node answers an unknown `Expect` header with 417. The service ignores the header instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  connections.register(app);
  registerRequestContext(app);
  dropBodies(app);
  logCalls(app, options.metrics);
  answerFailures(app);
  const callLimit = new CallLimit(options.callsPerMinute);
  await app.register(helmet, {
    contentSecurityPolicy: {
      directives: {
        'upgrade-insecure-requests': null,
        'font-src': ["'self'", 'data:'],
        'style-src': ["'self'", "'unsafe-inline'"],
      },
    },
    strictTransportSecurity: false,
  });
  await describeApi(app, options.version);
  const trust = {
    proxies: networkList(options.trustedProxies),
    hosts: new Set(options.allowedHosts.map((host) => host.toLowerCase())),
  };
  const lookUpThrottled = openThrottledLookup(trust, options.auditLog);
  const identifyCaller = identifyBy(options.access, lookUpThrottled);
  healthRoutes(app, options);
  await app.register(async (open) => {
    // Health checks are not limited: a flood must not make a node appear unready, and their answers are tiny.
    limitPublicRoutes(open);
    await documentRoutes(open);
    if (options.consoleFolder === null) consolePage(open, options);
    else await consoleFiles(open, options.consoleFolder);
  });
  await app.register(async (metrics) => {
    // Limits of its own, so that unread answers of the routes above do not keep out a monitoring system.
    limitPublicRoutes(metrics);
    metricsRoute(metrics, { ...options, identifyCaller, trust });
  });
  await app.register(async (api) => {
    allowOrigins(api, options.allowedOrigins, app);
    await buildApi(api, { identifyCaller, lookUpThrottled, callLimit }, options);
  });
  return app;
}

interface ApiTools {
  readonly identifyCaller: Identify;
  readonly lookUpThrottled: ThrottledLookup;
  readonly callLimit: CallLimit;
}

/** Registers the API routes, which share authentication, one body memory limit and one rate limit per client. */
async function buildApi(
  api: FastifyInstance,
  { identifyCaller, lookUpThrottled, callLimit }: ApiTools,
  options: AppOptions,
): Promise<void> {
  // A shared cache must not serve one client's response to another client.
  api.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  guard(api, identifyCaller);
  validateQueries(api);
  await api.register(rateLimit, {
    hook: 'preParsing',
    max: callLimit.max,
    timeWindow: callLimit.windowMs,
    store: class {
      incr = callLimit.store.incr.bind(callLimit.store);
      child = () => callLimit.store.child();
    },
    keyGenerator: rateLimitKey,
    errorResponseBuilder: (_request, { ttl }) => rateLimited('calls', Math.ceil(ttl / 1000)),
  });
  limitReads(api);
  readBodies(api, options.limits, fingerprintBy(options.newFingerprint));
  const typed = api.withTypeProvider<SchemaTypes>();
  consoleSessionRoutes(typed, { ...options, lookUpThrottled });
  await typed.register(async (sync) => syncRoutes(sync, options), { prefix: '/api/sync/v1' });
  await typed.register(async (admin) => adminRoutes(admin, options), { prefix: '/admin/v1' });
}

/** Limits the answers to reads. API clients have places of their own, which no other caller can take. */
function limitReads(api: FastifyInstance): void {
  const clients = new AnswerLimit(answerLimits.clients);
  const others = new AnswerLimit(answerLimits.others);
  api.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'GET' && request.routeOptions.config.scope !== 'sync:read') return;
    const limit = request.caller.scopes.size > 0 ? clients : others;
    await limit.admit(rateLimitKey(request), reply.raw);
  });
}

function syncRoutes(api: Api, options: AppOptions): void {
  writeRoutes(api, options);
  upsertRoutes(api, options);
  readRoutes(api, options);
  exportRoute(api, options);
  jobRoutes(api, options);
  eventRoute(api, options.events);
  loginRoutes(api, options.signIn);
}

/** Registers the routes below `/admin/v1`. Every request needs the scope `admin`. */
function adminRoutes(api: Api, options: AppOptions): void {
  clientRoutes(api, options.clients);
  callRoutes(api, options.calls);
  failuresRoute(api, options.failures);
  allJobsRoute(api, options.jobs);
  auditRoutes(api, options.audit);
  webhookRoutes(api, options.webhooks);
  deliveryRoutes(api, options.webhooks.webhooks);
  statisticsRoute(api, options.statistics, options.hashing);
  sessionRoutes(api, options.userSessions);
  settingsRoute(api, options.settings);
}
