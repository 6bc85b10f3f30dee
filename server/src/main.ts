import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Background, startBackground } from './background.ts';
import { type Config, ConfigError, prefix } from './config.ts';
import { builtConsole } from './console-folder.ts';
import { ensureFirstClient } from './core/access/clients.ts';
import { readKeyPair } from './core/access/keys.ts';
import { takeCall } from './core/calls/take.ts';
import { isPartOfOutage } from './core/faults.ts';
import { writesAtOnce } from './core/records/apply.ts';
import { insertOperation } from './core/records/insert.ts';
import { Slots } from './core/records/slots.ts';
import { stateOperation } from './core/records/state.ts';
import { updateOperation } from './core/records/update.ts';
import { Vault } from './core/sealing/vault.ts';
import { changeOwnPassword } from './core/sessions/own-password.ts';
import { webhookName } from './core/webhooks/webhook.ts';
import { buildApp } from './http/app.ts';
import { openMetrics } from './http/metrics.ts';
import { openQueue, type Queue } from './jobs/queue.ts';
import { findMasterKey, makeMasterKey, wrongMasterKey } from './master-key.ts';
import { isLoopback } from './network.ts';
import { openCommonPasswords } from './passwords/common-passwords.ts';
import { type HashingPool, openHasher } from './passwords/hasher.ts';
import { needsRehash } from './passwords/needs-rehash.ts';
import { openSigning } from './signing.ts';
import { openAudit } from './storage/audit.ts';
import { openChunks } from './storage/chunks.ts';
import { openAccess, openClients } from './storage/clients.ts';
import { openCompletedCalls } from './storage/completed-calls.ts';
import { openConsoleSessions } from './storage/console-sessions.ts';
import type { Database } from './storage/database.ts';
import { openEvents } from './storage/events.ts';
import { openGuesses } from './storage/guesses.ts';
import { openJobs } from './storage/jobs.ts';
import { openJournal } from './storage/journal.ts';
import { openLedger } from './storage/ledger.ts';
import { openListing } from './storage/listing.ts';
import { keepMasterKeyIdentity, masterKeyIdentity } from './storage/master-key.ts';
import { migrate } from './storage/migrations.ts';
import { openReadiness } from './storage/readiness.ts';
import { openRefusedRecords } from './storage/refused-records.ts';
import { openRegistry } from './storage/registry.ts';
import { openSessions } from './storage/sessions.ts';
import { openStatistics } from './storage/statistics.ts';
import { openSubmissions } from './storage/submissions.ts';
import { openWebhooks } from './storage/webhooks.ts';
import { openStore } from './store.ts';
import { version } from './version.ts';

export interface Service {
  /** Where it answers, such as `http://127.0.0.1:8420`. */
  readonly url: string;
  readonly protectedMode: boolean;
  /** Takes no new connection, finishes the calls at work, then closes the store. */
  stop(): Promise<void>;
}

/** How many of the largest bodies may be at work together. */
const largestBodies = 8;
/** How many JSON values a body may hold for each record and user that a call may have. */
const valuesOfOne = 16;
/** While one chunk of a job comes to its end, the other keeps the processor busy. */
const chunksAtOnce = 2;

/** Joins the rooms of the house, and opens the door. */
export async function startService(
  config: Config,
  log: Logger,
  consoleFolder: string | null = builtConsole(),
): Promise<Service> {
  const foundKey = await findMasterKey(config);
  const store = await openStore(config, {
    as: 'service',
    log: (message) => log.info(message),
    outage: {
      onBegin: (reason) =>
        log.warn({ reason }, 'the database does not answer; failures are counted until it does'),
      onEnd: (summary) => log.warn(summary, 'the database answers again'),
    },
  });
  let queue: Queue | undefined;
  let hasher: HashingPool | undefined;
  let app: FastifyInstance | undefined;
  let background: Background | undefined;
  try {
    const { database } = store;
    await store.refuseTransactionPooling();
    for (const name of await migrate(database)) log.info({ migration: name }, 'migrated');
    const vault = await openVault(foundKey, config, database);
    const access = openAccess(store.front);
    if (config.FIRST_CLIENT !== null) await makeFirstClient(config.FIRST_CLIENT);
    const hasClients = await access.hasClients();
    if (!hasClients && !isLoopback(config.HOST) && config.HOST !== 'localhost') throw closedDoor(config.HOST);

    const metrics = openMetrics();
    hasher = openHasher({
      concurrency: config.HASH_CONCURRENCY,
      memoryKib: config.HASH_MEMORY_KIB,
      passes: config.HASH_PASSES,
      maxWaitSeconds: config.MAX_WAIT_SECONDS,
      onHash: metrics.hashed,
    });
    metrics.watch(hasher);
    const noHash = await hasher.tryOut();
    const registry = openRegistry(database);
    const { isCommon } = openCommonPasswords();
    const rules = {
      requireEmail: config.REQUIRE_EMAIL,
      password: { minLength: config.PASSWORD_MIN, isCommon },
    };
    const operations = {
      update: updateOperation(registry, rules),
      insert: insertOperation(registry, rules),
      state: stateOperation(registry),
    };
    queue = await openQueue({
      database: store.queue,
      chunksAtOnce,
      onError: (error) => {
        if (!isPartOfOutage(error)) log.warn({ err: error }, 'the queue had a failure');
      },
    });
    const journal = openJournal(database);
    const jobLimits = { records: config.MAX_JOB_RECORDS, users: config.MAX_JOB_USERS };
    const tools = {
      operations,
      hasher,
      vault,
      ledger: openLedger(database, { keyHours: config.IDEMPOTENCY_HOURS }),
      submissions: openSubmissions(database, queue),
      onOutcomes: metrics.recordsDone,
      limits: { answered: { records: config.MAX_RECORDS, users: config.MAX_USERS }, job: jobLimits },
    };
    const signIn = {
      sessions: openSessions(database, {
        tokenMinutes: config.TOKEN_MINUTES,
        refreshDays: config.SESSION_DAYS,
      }),
      guesses: openGuesses(database),
      journal,
      hasher,
      guessDigest: (text: string) => vault.guessDigest(text),
      needsRehash: (hash: string) =>
        needsRehash(hash, { memoryKib: config.HASH_MEMORY_KIB, passes: config.HASH_PASSES }),
      noHash,
    };
    const readiness = openReadiness(database);
    const seal = vault.sealRow.bind(vault);
    const signing = openSigning(vault, config);

    app = await buildApp({
      version,
      log,
      limits: {
        bytes: config.MAX_BODY_BYTES,
        depth: config.MAX_DEPTH,
        values: valuesOfOne * (jobLimits.records + jobLimits.users),
        bytesTogether: config.MAX_BODY_BYTES * largestBodies,
      },
      callsPerMinute: config.CALLS_PER_MINUTE,
      trustedProxies: config.TRUST_PROXY,
      allowedHosts: config.ALLOWED_HOSTS,
      takeCall: (call) => takeCall(call, tools),
      newFingerprint: () => vault.newFingerprint(),
      jobs: openJobs(database, queue),
      listing: openListing(database),
      journal,
      events: openEvents(database, { days: config.EVENT_DAYS }),
      signIn,
      changeOwnPassword: (call) => changeOwnPassword(call, operations.update, signIn),
      access,
      sessions: openConsoleSessions(store.front),
      readiness,
      metrics,
      admin: {
        clients: openClients(database),
        calls: { store: openCompletedCalls(database, { days: config.JOB_DAYS }), journal },
        failures: openRefusedRecords(database),
        audit: { store: openAudit(database), seal },
        webhooks: {
          ...signing,
          webhooks: openWebhooks(database),
          sealSecret: (secret, id) => vault.sealSecret(secret, webhookName(id)),
        },
        statistics: openStatistics(database),
        hashing: hasher,
      },
      consoleFolder,
    });
    await app
      .listen({
        host: config.HOST,
        port: config.PORT,
        backlog: 4096,
        listenTextResolver: () => 'listening',
      })
      .catch((error) => {
        if (error.syscall !== 'getaddrinfo') throw error;
        throw new ConfigError(`${prefix}HOST is ${config.HOST}, a name that has no address.`);
      });

    background = await startBackground({
      config,
      log,
      store,
      queue,
      vault,
      signing,
      jobs: {
        store: openChunks(database),
        operations,
        hasher,
        vault,
        writes: new Slots(writesAtOnce),
        onOutcomes: metrics.recordsDone,
        report: (error) => {
          if (!isPartOfOutage(error)) log.error({ err: error }, 'records of a job failed');
        },
      },
    });

    return {
      url: urlOf(app.server.address() as AddressInfo),
      protectedMode: !hasClients,
      async stop() {
        readiness.stopping();
        await Promise.all([app?.close(), background?.stop()]);
        await Promise.all([hasher?.close(), store.close()]);
      },
    };

    async function makeFirstClient(text: string): Promise<void> {
      const pair = readKeyPair(text);
      const done = pair && (await ensureFirstClient(pair, openClients(database), access));
      if (done === 'created') log.info('the first API client was created');
      if (done === 'ignored')
        log.warn(`${prefix}FIRST_CLIENT is no live client, and others exist: it has no effect`);
    }
  } catch (error) {
    await Promise.all([app?.close(), background?.stop() ?? queue?.stop()]);
    await Promise.all([hasher?.close(), store.close()]);
    throw error;
  }
}

/** What is done with the master key, once it is certain that it is the one of this database. */
async function openVault(found: Buffer | null, config: Config, database: Database): Promise<Vault> {
  if (found === null && (await masterKeyIdentity(database))) throw wrongMasterKey(config, found);
  const key = found ?? (await makeMasterKey(config));
  const vault = new Vault(key);
  const identity = await keepMasterKeyIdentity(database, vault.identity);
  if (!identity?.equals(vault.identity)) throw wrongMasterKey(config, key);
  return vault;
}

function closedDoor(host: string): ConfigError {
  return new ConfigError(
    `${prefix}HOST is ${host}, but no API client exists yet, so that anyone could call. ` +
      `Create one first (npx --no -- anagrafe client create --name erp), or give one in ${prefix}FIRST_CLIENT.`,
  );
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
