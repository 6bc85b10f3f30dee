import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { countHashProfiles } from './accounts/decoy-hashes.store.ts';
import { DecoyHashes } from './accounts/decoy-hashes.ts';
import { openLoginThrottle } from './accounts/login-throttle.store.ts';
import { changeOwnPassword } from './accounts/own-password.ts';
import { openSessions, openUserSessions } from './accounts/sessions.store.ts';
import { buildApp } from './app.ts';
import { openAudit, openAuditLog, openEvents } from './audit/audit.store.ts';
import { type Background, startBackground } from './background.ts';
import { openCompletedCalls, openFailures } from './calls/call-history.store.ts';
import { openCalls } from './calls/calls.store.ts';
import { openAccess, openClients } from './clients/clients.store.ts';
import { ensureFirstClient } from './clients/clients.ts';
import { openConsoleSessions } from './clients/console-sessions.store.ts';
import { builtConsole } from './console/console.routes.ts';
import { migrate } from './db/migrations.ts';
import { openReadiness } from './db/readiness.ts';
import { openIdempotencyStore } from './idempotency/idempotency.store.ts';
import { createChunkQueue } from './jobs/chunk-queue.ts';
import { openChunks } from './jobs/chunks.store.ts';
import { openJobs } from './jobs/jobs.store.ts';
import { RecentChunks } from './jobs/recent-chunks.ts';
import { openSubmissions } from './jobs/submissions.store.ts';
import { isPartOfOutage } from './lib/field-errors.ts';
import { isLoopback } from './lib/network.ts';
import { commandLine } from './lib/operator-error.ts';
import { version } from './lib/package-folder.ts';
import { readKeyPair } from './lib/secrets.ts';
import { openMetrics } from './metrics.ts';
import { type HashingPool, openHasher } from './passwords/hash-pool.ts';
import { needsRehash } from './passwords/hash-work.ts';
import { openCommonPasswords } from './passwords/policy.ts';
import { openQueue, type Queue } from './queue/queue.ts';
import { deleteOperation } from './records/operations/delete.ts';
import { insertOperation } from './records/operations/insert.ts';
import { openRecordStore } from './records/operations/records.store.ts';
import { stateOperation } from './records/operations/state.ts';
import { updateOperation } from './records/operations/update.ts';
import { openUpsertStore } from './records/operations/upsert.store.ts';
import { upsertOperations } from './records/operations/upsert.ts';
import { openExports } from './records/read/export.store.ts';
import { Exporter } from './records/read/export.ts';
import { openListing } from './records/read/listing.store.ts';
import { RecordWriter } from './records/write/record-writer.ts';
import { type Config, ConfigError, prefix } from './settings/config.ts';
import { findMasterKey, openKeyRing } from './settings/master-key-file.ts';
import { serviceSettings } from './settings/settings.routes.ts';
import { openStatistics } from './statistics/statistics.store.ts';
import { openStore } from './store.ts';
import { openSigning } from './webhooks/sender.ts';
import { webhookName } from './webhooks/webhook.ts';
import { openWebhooks } from './webhooks/webhooks.store.ts';

export interface Service {
  readonly url: string;
  readonly protectedMode: boolean;
  /** Stops accepting connections, finishes running requests and background work, then closes the database. */
  stop(): Promise<void>;
}

/** Limits the memory of all request bodies together, as a multiple of `MAX_BODY_BYTES`. */
const bodyMemoryFactor = 8;
/** JSON values that a body may contain for each record and each user that a job may have. */
const valuesPerRecord = 16;

/** Parallel writes of jobs: one for each core, because more of them only delay other calls. */
const jobWritesAtOnce = () => Math.min(Math.max(availableParallelism(), 2), 4);

/** Wires the dependencies and starts listening. */
export async function startService(
  config: Config,
  log: Logger,
  consoleFolder: string | null = builtConsole(),
): Promise<Service> {
  const foundKey = await findMasterKey(config);
  const store = await openStore(config, {
    mode: 'exclusive',
    log: (message) => log.info(message),
    outage: {
      onBegin: (reason) =>
        log.warn(
          { reason },
          'database unavailable; errors are counted instead of logged until it is available again',
        ),
      onEnd: (summary) => log.warn(summary, 'database available again'),
    },
  });
  const warnOf = (message: string) => (error: unknown) => {
    if (!isPartOfOutage(error)) log.warn({ err: error }, message);
  };
  let queue: Queue | undefined;
  let hasher: HashingPool | undefined;
  let app: FastifyInstance | undefined;
  let background: Background | undefined;
  try {
    const { database } = store;
    await store.refuseTransactionPooling();
    for (const name of await migrate(database)) log.info({ migration: name }, 'applied migration');
    const keyRing = await openKeyRing(foundKey, config, database);
    const access = openAccess(store.front);
    if (config.FIRST_CLIENT !== null) await makeFirstClient(config.FIRST_CLIENT);
    const hasClients = await access.hasClients();
    if (!hasClients && !isLoopback(config.HOST) && config.HOST !== 'localhost')
      throw clientRequired(config.HOST);

    const metrics = openMetrics();
    const cost = { memoryKib: config.HASH_MEMORY_KIB, passes: config.HASH_PASSES };
    hasher = openHasher({
      ...cost,
      concurrency: config.HASH_CONCURRENCY,
      maxWaitSeconds: config.MAX_WAIT_SECONDS,
      onHash: metrics.hashed,
    });
    metrics.watch(hasher);
    const ownHash = await hasher.calibrate();
    const recordStore = openRecordStore(database);
    const { isCommon } = openCommonPasswords();
    const password = { minLength: config.PASSWORD_MIN, isCommon };
    const rules = { requireEmail: config.REQUIRE_EMAIL, password };
    const operations = {
      update: updateOperation(recordStore, rules),
      insert: insertOperation(recordStore, rules),
      state: stateOperation(recordStore),
      delete: deleteOperation(recordStore),
      upsert: upsertOperations(openUpsertStore(database), {
        ...rules,
        maxRecordUsers: config.MAX_RECORD_USERS,
        maxRemoved: config.MAX_JOB_USERS,
      }),
    };
    queue = await openQueue({
      database: store.queue,
      listen: store.listen,
      onError: warnOf('error in the job queue'),
    });
    await createChunkQueue(queue);
    const auditLog = openAuditLog(database);
    const recentChunks = new RecentChunks();
    const jobLimits = { records: config.MAX_JOB_RECORDS, users: config.MAX_JOB_USERS };
    const tools = {
      operations,
      recordStore,
      hasher,
      keyRing,
      calls: openCalls(database),
      idempotency: openIdempotencyStore(database, { keyHours: config.IDEMPOTENCY_HOURS }),
      submissions: openSubmissions(database, queue, {
        jobs: config.MAX_OPEN_JOBS,
        bytes: config.MAX_OPEN_JOB_BYTES,
      }),
      recentChunks,
      onOutcomes: metrics.recordsDone,
      maxRemovals: config.MAX_REMOVALS,
      limits: { answered: { records: config.MAX_RECORDS, users: config.MAX_USERS }, job: jobLimits },
    };
    const hashing = {
      throttleDigest: (text: string) => keyRing.throttleDigest(text),
      needsRehash: (hash: string) => needsRehash(hash, cost),
    };
    const decoyHashes = new DecoyHashes({
      ...hashing,
      ownHash,
      countProfiles: () => countHashProfiles(database),
      onError: warnOf('could not count the formats of password hashes'),
    });
    await decoyHashes.count();
    const signIn = {
      ...hashing,
      sessions: openSessions(database, {
        tokenMinutes: config.TOKEN_MINUTES,
        refreshDays: config.SESSION_DAYS,
      }),
      loginThrottle: openLoginThrottle(database),
      auditLog,
      hasher,
      decoyFor: (username: string) => decoyHashes.hashFor(username),
    };
    const readiness = openReadiness(database);
    const signing = openSigning(keyRing, config.WEBHOOK_NETWORKS);

    app = await buildApp({
      version,
      log,
      limits: {
        bytes: config.MAX_BODY_BYTES,
        depth: config.MAX_DEPTH,
        values: valuesPerRecord * (jobLimits.records + jobLimits.users),
        bytesTogether: config.MAX_BODY_BYTES * bodyMemoryFactor,
        recordUsers: config.MAX_RECORD_USERS,
      },
      callsPerMinute: config.CALLS_PER_MINUTE,
      trustedProxies: config.TRUST_PROXY,
      allowedHosts: config.ALLOWED_HOSTS,
      allowedOrigins: config.ALLOWED_ORIGINS,
      callTools: tools,
      newFingerprint: () => keyRing.newFingerprint(),
      jobs: openJobs(database, queue),
      listing: openListing(database),
      exporter: new Exporter(openExports(store.exports)),
      auditLog,
      events: openEvents(database, { days: config.EVENT_DAYS }),
      signIn,
      userSessions: openUserSessions(database),
      changeOwnPassword: (call) => changeOwnPassword(call, operations.update, { ...signIn, recordStore }),
      access,
      sessions: openConsoleSessions(store.front),
      readiness,
      metrics,
      clients: openClients(database),
      calls: { store: openCompletedCalls(database, { days: config.JOB_DAYS }), auditLog },
      failures: openFailures(database),
      audit: { store: openAudit(database), hashRow: (...row) => keyRing.hashRow(...row) },
      webhooks: {
        ...signing,
        webhooks: openWebhooks(database),
        encryptSecret: (secret, id) => keyRing.encryptSecret(secret, webhookName(id)),
        networks: config.WEBHOOK_NETWORKS,
      },
      statistics: openStatistics(database),
      hashing: hasher,
      settings: serviceSettings(config),
      consoleFolder,
    });
    const address = { host: config.HOST, port: config.PORT, backlog: 4096 };
    await app.listen({ ...address, listenTextResolver: () => 'listening' }).catch((error) => {
      if (error.syscall !== 'getaddrinfo') throw error;
      throw new ConfigError(`${prefix}HOST is ${config.HOST}, which does not resolve to an address`, {
        advice: 'set it to an IP address or another host name.',
      });
    });

    background = await startBackground({
      config,
      log,
      store,
      queue,
      keyRing,
      signing,
      metrics,
      jobs: {
        store: openChunks(database),
        operations,
        hasher,
        keyRing,
        recentChunks,
        writer: new RecordWriter(recordStore, {
          writesAtOnce: jobWritesAtOnce(),
          pause: hasher.interactiveEnded,
        }),
        onOutcomes: metrics.recordsDone,
        report: (error) => {
          if (!isPartOfOutage(error))
            log.error({ err: error }, 'unexpected error while processing records of a job');
        },
      },
    });

    return {
      url: urlOf(app.server.address() as AddressInfo),
      protectedMode: !hasClients,
      stop() {
        readiness.stopping();
        return closeAll();
      },
    };

    async function makeFirstClient(text: string): Promise<void> {
      const pair = readKeyPair(text);
      const done = pair && (await ensureFirstClient(pair, openClients(database), access));
      if (done === 'created') log.info(`created the API client of ${prefix}FIRST_CLIENT`);
      if (done === 'ignored')
        log.warn(`${prefix}FIRST_CLIENT is ignored: other API clients exist, and it is not an active client`);
    }
  } catch (error) {
    await closeAll();
    throw error;
  }

  async function closeAll(): Promise<void> {
    await Promise.all([app?.close(), background?.stop() ?? queue?.stop()]);
    await Promise.all([hasher?.close(), store.close()]);
  }
}

function clientRequired(host: string): ConfigError {
  return new ConfigError(
    `${prefix}HOST is ${host}, but there is no API client yet, so anyone could call the service. ` +
      `Create one first (${commandLine('client create --name erp')}), or set ${prefix}FIRST_CLIENT.`,
  );
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
