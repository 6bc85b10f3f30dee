import { type Hmac, randomUUID } from 'node:crypto';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { AccessStore } from '../core/access/access.ts';
import type { ConsoleStore } from '../core/access/console.ts';
import type { EventStore } from '../core/events/read.ts';
import { Refusal } from '../core/faults.ts';
import type { JobStore } from '../core/jobs/job.ts';
import type { Journal } from '../core/journal/journal.ts';
import type { ListingStore } from '../core/listing/listing.ts';
import type { SignInTools } from '../core/sessions/sign-in.ts';
import { networkList, sourceOf } from '../network.ts';
import { type Attempt, attemptBy, guard, type Identify, identifyBy } from './access.ts';
import { type AdminTools, adminRoutes } from './admin.ts';
import { type BodyLimits, dropBodies, readBodies } from './body.ts';
import { followCalls } from './call.ts';
import { endIdleConnections } from './connections.ts';
import { describeApi } from './docs.ts';
import { addressOf } from './evidence.ts';
import { answerBrokenRequest, answerFailures, sendRefusal } from './failures.ts';
import { fingerprintBy } from './idempotency.ts';
import { logCalls } from './log.ts';
import type { Metrics } from './metrics.ts';
import { checkQuery } from './query.ts';
import { consolePage } from './routes/console.ts';
import { consoleFiles } from './routes/console-files.ts';
import { consoleSessionRoutes } from './routes/console-session.ts';
import { eventRoute } from './routes/events.ts';
import { readRoutes } from './routes/irs-read.ts';
import { type ChangeOwnPassword, type TakeCall, writeRoutes } from './routes/irs-write.ts';
import { jobRoutes } from './routes/jobs.ts';
import { loginRoutes } from './routes/login.ts';
import { operationRoutes, type Readiness } from './routes/operation.ts';

export interface AppOptions {
  readonly version: string;
  readonly log: FastifyBaseLogger;
  readonly limits: BodyLimits;
  /** Calls a minute that one client may make. */
  readonly callsPerMinute: number;
  readonly trustedProxies: readonly string[];
  /** Host names by which clients known by address may call. */
  readonly allowedHosts: readonly string[];
  readonly takeCall: TakeCall;
  /** A new keyed hash, for a body. */
  newFingerprint(): Hmac;
  readonly jobs: JobStore;
  readonly listing: ListingStore;
  readonly journal: Journal;
  readonly events: EventStore;
  readonly signIn: SignInTools;
  readonly changeOwnPassword: ChangeOwnPassword;
  readonly access: AccessStore;
  readonly sessions: ConsoleStore;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  readonly admin: AdminTools;
  /** Where the console lies; null where it has not been built. */
  readonly consoleFolder: string | null;
}

const requestTimeoutMs = 300_000;
const saneRequestId = /^[\w.-]{1,64}$/;

/** The whole service as it answers over HTTP; it listens where it is told to. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: requestTimeoutMs,
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: ({ headers }) => {
      const sent = headers['x-request-id'];
      return typeof sent === 'string' && saneRequestId.test(sent) ? sent : randomUUID();
    },
    clientErrorHandler: answerBrokenRequest,
    http: { requireHostHeader: false },
    frameworkErrors: (_error, request, reply) =>
      sendRefusal(new Refusal('NOT_FOUND'), request, reply.header('x-request-id', request.id)),
  });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);

  // By default Node drops every header after the 1,000th, and with it whatever a proxy appended. Without a limit
  // of their number their size still has one: 16 KiB, answered with 431.
  app.server.maxHeadersCount = 0;
  // An expectation that is not known is not a reason to refuse the call.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  endIdleConnections(app);
  followCalls(app);
  dropBodies(app);
  logCalls(app, options.metrics);
  answerFailures(app);
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
  const attempt = attemptBy(trust, options.journal);
  const identifyCaller = identifyBy(options.access, attempt);
  operationRoutes(app, { ...options, identifyCaller, trust });
  if (options.consoleFolder === null) consolePage(app, options);
  else await consoleFiles(app, options.consoleFolder);
  await app.register(async (api) => buildApi(api, { identifyCaller, attempt }, options));
  return app;
}

/** What the paths of the service have in common. One limit of memory and one rate of a client hold for all of them. */
async function buildApi(
  api: FastifyInstance,
  { identifyCaller, attempt }: { identifyCaller: Identify; attempt: Attempt },
  options: AppOptions,
): Promise<void> {
  // Whatever stands between must not give one client's answer to another.
  api.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  guard(api, identifyCaller);
  api.addHook('onRequest', async (request) => checkQuery(request));
  await api.register(rateLimit, {
    hook: 'preParsing',
    max: options.callsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => {
      const { user, name, clientId } = request.caller;
      if (user) return `user ${user.id}`;
      return name === 'anyone' ? sourceOf(addressOf(request)) : `client ${clientId}`;
    },
    errorResponseBuilder: (_request, { ttl }) => {
      const seconds = Math.ceil(ttl / 1000);
      return new Refusal('RATE_LIMITED', {
        variant: 'calls',
        figures: { seconds },
        retryAfterSeconds: seconds,
      });
    },
  });
  readBodies(api, options.limits, fingerprintBy(options.newFingerprint));
  consoleSessionRoutes(api, { ...options, attempt });
  await api.register(async (sync) => syncRoutes(sync, options), { prefix: '/api/sync/v1' });
  await api.register(async (admin) => adminRoutes(admin, { ...options.admin, jobs: options.jobs }), {
    prefix: '/admin/v1',
  });
}

function syncRoutes(api: FastifyInstance, options: AppOptions): void {
  writeRoutes(api, options);
  readRoutes(api, options);
  jobRoutes(api, options);
  eventRoute(api, options.events);
  loginRoutes(api, options.signIn);
}
