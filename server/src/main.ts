import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { openAccounts } from './accounts/open-accounts.ts';
import { buildApp } from './app.ts';
import { openAudit } from './audit/open-audit.ts';
import { type Background, startBackground } from './background.ts';
import { describeCluster } from './backup/backup.store.ts';
import { type Backup, backupsIn } from './backup/backup-folder.ts';
import { openCalls } from './calls/open-calls.ts';
import { disableWebhooks } from './clients/clients.store.ts';
import { openClients } from './clients/open-clients.ts';
import { builtConsole } from './console/console.routes.ts';
import type { Database } from './db/database.ts';
import { migrate } from './db/migrations.ts';
import { openReadiness } from './db/readiness.ts';
import { inspectServer } from './db/server-version.ts';
import { listenOnOtherAddresses } from './http/connections.ts';
import { openIdempotencyStore } from './idempotency/idempotency.store.ts';
import { openJobs } from './jobs/open-jobs.ts';
import { openBrand } from './lib/brand.ts';
import { isPartOfOutage } from './lib/field-errors.ts';
import { warningOf } from './lib/log.ts';
import { openMailHistory } from './mail/mail-history.store.ts';
import { openMailTemplates } from './mail/mail-templates.ts';
import { openMailer } from './mail/mailer.ts';
import { openOperatorMailer } from './mail/operator-mailer.ts';
import { openMetrics } from './metrics.ts';
import { openOperators } from './operators/open-operators.ts';
import { type Blocklist, openBlocklist } from './passwords/blocklist.ts';
import { HashPool } from './passwords/hash-pool.ts';
import { codeIssuer } from './passwords/password-code.ts';
import { openQueue, type Queue } from './queue/queue.ts';
import { openRecords } from './records/open-records.ts';
import { type Config, ConfigError, prefix } from './settings/config.ts';
import { findMasterKeys, openKeyRing } from './settings/master-key-file.ts';
import { readDatabaseHealth } from './statistics/health.store.ts';
import { openHealth } from './statistics/health.ts';
import { openStatistics } from './statistics/statistics.store.ts';
import { openStore } from './store.ts';
import { openTracing } from './tracing.ts';
import { openWebhooks } from './webhooks/open-webhooks.ts';

export interface Service {
  readonly url: string;
  readonly protectedMode: boolean;
  /** Stops accepting connections, finishes running requests and background work, then closes the database. */
  stop(): Promise<void>;
}

/** Wires the features and starts listening. */
export async function startService(
  config: Config,
  log: Logger,
  consoleFolder: string | null = builtConsole(),
): Promise<Service> {
  const foundKeys = await findMasterKeys(config);
  const tracing = await openTracing(process.env, log);
  const brand = await openBrand(config);
  const mailTemplates = await openMailTemplates(config.MAIL_TEMPLATES);
  const mailer = openMailer(config);
  const store = await openStore(config, {
    mode: 'exclusive',
    log: (message) => log.info(message),
    traceStatement: tracing?.traceStatement ?? null,
    outage: {
      onBegin: (reason) =>
        log.warn(
          { reason },
          'database unavailable; errors are counted instead of logged until it is available again',
        ),
      onEnd: (summary) => log.warn(summary, 'database available again'),
    },
  });
  let queue: Queue | undefined;
  let hasher: HashPool | undefined;
  let blocklist: Blocklist | undefined;
  let app: FastifyInstance | undefined;
  let background: Background | undefined;
  async function closeAll(): Promise<void> {
    await Promise.all([app?.close(), background?.stop() ?? queue?.stop()]);
    await background?.finish();
    mailer?.close();
    await Promise.all([hasher?.close(), blocklist?.close(), store.close()]);
    await tracing?.close();
  }
  try {
    const { database, front, exports } = store;
    await store.refuseTransactionPooling();
    const { version } = await inspectServer(database);
    log.info({ version, programs: programsOf(config) }, 'PostgreSQL is ready');
    for (const name of await migrate(database)) log.info({ migration: name }, 'applied migration');
    const keyRing = await openKeyRing(foundKeys, config, database);
    const clients = await openClients({ database, front, config, log });
    const metrics = openMetrics();
    hasher = new HashPool({
      memoryKib: config.HASH_MEMORY_KIB,
      passes: config.HASH_PASSES,
      concurrency: config.HASH_CONCURRENCY,
      maxWaitSeconds: config.MAX_WAIT_SECONDS,
      onHash: metrics.hashed,
    });
    metrics.watch(hasher.scheduler);
    const ownHash = await hasher.calibrate();
    queue = await openQueue({
      database: store.queue,
      listen: store.listen,
      onError: warningOf(log, 'error in the job queue'),
    });
    const audit = openAudit({ database, keyRing, config });
    blocklist = await openBlocklist(config.PASSWORD_BLOCKLIST);
    const records = openRecords({ database, exports, config, blocklist, sendsMail: mailer !== null });
    const { operations, writeStore, newWriter, principalsTouched } = records;
    const issueCode = codeIssuer({ days: config.INVITATION_DAYS, publicUrl: config.PUBLIC_URL });
    const applying = { operations, writeStore, newWriter, hasher, keyRing, onOutcomes: metrics.recordsDone };
    const jobs = await openJobs({
      ...applying,
      database,
      queue,
      config,
      issueCode,
      report: (error) => {
        if (!isPartOfOutage(error))
          log.error({ err: error }, 'unexpected error while processing records of a job');
      },
    });
    const accounts = await openAccounts({
      database,
      config,
      keyRing,
      auditLog: audit.log,
      hasher,
      ownHash,
      operations,
      newWriter,
      onCountError: warningOf(log, 'could not count the formats of password hashes'),
      onThrottleError: warningOf(log, 'could not clear the counters of a password guess'),
    });
    const operators = openOperators({
      database,
      config,
      keyRing,
      auditLog: audit.log,
      hasher,
      loginThrottle: accounts.signIn.loginThrottle,
      ownHash,
      blocklist,
      disableWebhooks,
      mailer:
        mailer &&
        openOperatorMailer(
          mailer,
          { templates: mailTemplates, brand, defaultLanguage: config.MAIL_LANGUAGE },
          (answer) => log.warn({ answer }, 'could not send a mail to an operator'),
        ),
      report: warningOf(log, 'could not complete the sign-in or the code of an operator'),
    });
    const idempotency = openIdempotencyStore(database, { keyHours: config.IDEMPOTENCY_HOURS });
    const calls = openCalls({
      ...applying,
      database,
      config,
      jobs,
      idempotency,
      issueCode,
      password: accounts.password,
      principalsTouched,
    });
    const mails = { history: openMailHistory(database), mailer };
    const webhooks = openWebhooks({ database, keyRing, config });
    const statistics = openStatistics(database);
    const readiness = openReadiness(database, () =>
      keyRing.isOutdated ? 'The service does not have the master key of the database.' : null,
    );

    app = await buildApp(
      {
        audit,
        clients,
        records,
        jobs,
        accounts,
        operators,
        mails,
        calls,
        webhooks,
        statistics,
        hashing: hasher.scheduler,
        health: openHealth({
          readDatabase: () => readDatabaseHealth(database),
          dataFolder: config.DATA,
          publicUrl: config.PUBLIC_URL,
          mailer,
          async readBackup() {
            if (config.BACKUP_FOLDER === null) return null;
            // A folder that cannot be read has no backup that could be restored.
            const newest = (await ownBackups(config.BACKUP_FOLDER, database).catch(() => [])).at(-1);
            return { takenAt: newest ? new Date(newest.takenAt) : null };
          },
        }),
      },
      { config, log, metrics, readiness, consoleFolder, brand, tracing },
    );
    await listen(app, config);
    background = await startBackground({
      config,
      log,
      store,
      queue,
      metrics,
      hasher,
      audit,
      keyRing,
      jobs,
      webhooks,
      mail: mailer && { mailer, templates: mailTemplates, brand, issueInvitation: issueCode },
    });
    return {
      url: urlOf(app.server.address() as AddressInfo),
      protectedMode: clients.protectedMode,
      stop() {
        readiness.stopping();
        return closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function ownBackups(folder: string, database: Database): Promise<readonly Backup[]> {
  const { system } = await describeCluster(database);
  return backupsIn(folder, system);
}

/** Says which PostgreSQL runs. */
function programsOf({ DATABASE_URL, POSTGRES_BIN }: Config): string {
  if (DATABASE_URL !== null) return 'external';
  return POSTGRES_BIN ?? 'npm package';
}

async function listen(app: FastifyInstance, { HOST, PORT }: Config): Promise<void> {
  const address = { host: HOST, port: PORT, backlog: 4096 };
  await app.listen({ ...address, listenTextResolver: () => 'listening' }).catch((error) => {
    if (error.syscall !== 'getaddrinfo') throw error;
    throw new ConfigError(`${prefix}HOST is ${HOST}, which does not resolve to an address`, {
      advice: 'set it to an IP address or another host name.',
    });
  });
  await listenOnOtherAddresses(app.server, HOST, address.backlog);
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
