import type { Logger } from 'pino';
import { countPending, openChainWriter, readChain } from './audit/hash-chain.store.ts';
import type { Audit } from './audit/open-audit.ts';
import { completeErasureLog, openBackupTasks } from './backup-tasks.ts';
import { completeSettledCalls } from './calls/calls.store.ts';
import type { Retention } from './db/retention.ts';
import type { KeyRing } from './encryption/key-ring.ts';
import type { Jobs } from './jobs/open-jobs.ts';
import { encryptAgain, isRotating, refreshMs } from './key-rotation/key-rotation.ts';
import type { Brand } from './lib/brand.ts';
import { isPartOfOutage } from './lib/field-errors.ts';
import { Semaphore } from './lib/semaphore.ts';
import { startWorker } from './lib/worker.ts';
import { deliverMails, type MailDeliveryTools } from './mail/deliver.ts';
import { hasDueMails, openMailDelivery, releaseWaves } from './mail/mail-delivery.store.ts';
import { enqueueMails, workOnMails } from './mail/mail-queue.ts';
import type { MailTemplates } from './mail/mail-templates.ts';
import type { Mailer } from './mail/mailer.ts';
import type { BackgroundTask, Metrics } from './metrics.ts';
import type { HashPool } from './passwords/hash-pool.ts';
import { type CodeIssuer, codeIssuer } from './passwords/password-code.ts';
import type { Queue } from './queue/queue.ts';
import { openRetention } from './retention.ts';
import type { Config } from './settings/config.ts';
import type { Store } from './store.ts';
import type { Signing } from './webhooks/attempt.ts';
import { batchesAtOnce, type DeliveryTools, deliverDue } from './webhooks/deliver.ts';
import { createDeliveries, dueWebhooks, openDeliveries } from './webhooks/deliveries.store.ts';
import { enqueueWebhooks, workOnWebhooks } from './webhooks/webhook-queue.ts';

export type Background = Awaited<ReturnType<typeof startBackground>>;

interface BackgroundTools {
  readonly config: Config;
  readonly log: Logger;
  readonly store: Store;
  readonly queue: Queue;
  readonly hasher: HashPool;
  readonly audit: Audit;
  readonly keyRing: KeyRing;
  readonly jobs: Jobs;
  readonly webhooks: Signing;
  readonly metrics: Metrics;
  /** Null if no mail server is configured. */
  readonly mail: MailParts | null;
}

interface MailParts {
  readonly mailer: Mailer;
  readonly templates: MailTemplates;
  readonly brand: Brand;
  readonly issueInvitation: CodeIssuer;
}

/** A row must be in the hash chain within one second of its commit. */
const pauseMs = 250;
/** Bounds the delay of retries, which wait whole seconds, and of deliveries of rows that another node has hashed. */
const webhookPauseMs = 1000;
const mailPauseMs = 1000;
const measureMs = 5000;
/** After a failed backup the next one is tried. */
const backupPauseMs = 60_000;
const logArchivePauseMs = 5000;
const erasureLogPauseMs = 1000;

export async function startBackground(tools: BackgroundTools) {
  const { config, log, store, queue, hasher, metrics } = tools;
  const stopping = new AbortController();
  const retention = openRetention(config);
  await tools.jobs.startWorkers();
  const deliveries = deliveryTools(tools);
  await workOnWebhooks(queue, (id, signal) =>
    deliverDue(id, deliveries, signal).catch((error) => {
      if (!isPartOfOutage(error))
        log.warn({ err: error, webhook: id }, 'webhook deliveries were interrupted; they are retried');
    }),
  );
  if (tools.mail) {
    const delivery = mailTools(tools, tools.mail);
    await workOnMails(queue, (signal) =>
      deliverMails(delivery, signal).catch((error) => {
        if (!isPartOfOutage(error))
          log.warn({ err: error }, 'the delivery of mails was interrupted; it is retried');
      }),
    );
  }
  await queue.repeat('completion', '* * * * *', async () => {
    const calls = await completeSettledCalls(store.queue);
    if (calls > 0) log.info({ calls }, 'completed calls whose last statement had failed');
  });
  await queue.repeat('retention', '17 * * * *', () => removeExpiredRows(retention, tools, stopping.signal));

  /** Starts a worker of its own for a task, so that a task that fails or is slow does not stop the others. */
  const repeat = (task: BackgroundTask, run: () => Promise<boolean>, pause = pauseMs) =>
    startWorker({
      run,
      pauseMs: pause,
      onError(error, { isNew }) {
        metrics.taskFailed(task);
        if (isNew) log.error({ err: error, task }, 'background task failed; it is repeated');
      },
    });
  const retries = repeat(
    'webhook_retries',
    async () => {
      await enqueueWebhooks(queue, await dueWebhooks(store.queue));
      return false;
    },
    webhookPauseMs,
  );
  const deliveryCreation = repeat(
    'webhook_deliveries',
    async () => {
      await hasher.waitForInteractive();
      const more = await createDeliveries(store.queue);
      retries.wake();
      return more;
    },
    webhookPauseMs,
  );
  const mails = repeat(
    'mails',
    async () => {
      if (!tools.mail) return false;
      await releaseWaves(store.queue);
      if (await hasDueMails(store.queue)) await enqueueMails(queue);
      return false;
    },
    mailPauseMs,
  );
  const extendChain = openChainWriter(store.queue, tools.audit.chainKeys);
  const chain = repeat('hash_chain', async () => {
    await hasher.waitForInteractive();
    const { rows, more } = await extendChain();
    if (rows > 0) deliveryCreation.wake();
    return more;
  });
  const measuring = repeat(
    'metrics',
    async () => {
      metrics.setPendingAuditRows(await countPending(store.queue));
      metrics.setOverdueRows(await retention.countOverdue(store.queue));
      return false;
    },
    measureMs,
  );
  const backupTasks = await openBackupTasks({ ...tools, signal: stopping.signal });
  const backups = [
    ...(backupTasks ? [repeat('erasure_log', () => backupTasks.erasures.append(), erasureLogPauseMs)] : []),
    ...(backupTasks?.embedded
      ? [
          repeat('log_archive', backupTasks.embedded.archiveLog, logArchivePauseMs),
          repeat('backup', backupTasks.embedded.backUp, backupPauseMs),
        ]
      : []),
  ];
  const keys = repeat('master_key', followMasterKey(tools, stopping.signal), refreshMs);
  return {
    async stop() {
      stopping.abort();
      // Before the queue, which they use.
      await Promise.all(
        [chain, deliveryCreation, retries, mails, measuring, keys, ...backups].map((worker) => worker.stop()),
      );
      await queue.stop();
    },
    async finish() {
      if (backupTasks) await completeErasureLog({ log, extendChain, erasures: backupTasks.erasures });
    },
  };
}

/**
 * Returns the task that follows a rotation of the master key: it reads which key is in use, and encrypts what has another one. A
 * node that learns of a rotation late may have encrypted values with the old key since.
 */
function followMasterKey({ keyRing, store, log }: BackgroundTools, signal: AbortSignal) {
  let last = keyRing.identity;
  return async () => {
    await keyRing.refresh();
    const { identity } = keyRing;
    if (last.equals(identity) && !(await isRotating(store.queue))) return false;
    const result = await encryptAgain(store.queue, keyRing, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (!result) return false;
    last = identity;
    if (result.encrypted > 0) log.info(result, 'encrypted stored values with the new master key');
    return false;
  };
}

function deliveryTools({ config, log, store, webhooks }: BackgroundTools): DeliveryTools {
  return {
    ...webhooks,
    store: openDeliveries(store.database),
    onDisabled: (webhook, reason) => log.warn({ webhook, reason }, 'webhook disabled'),
    waits: config.WEBHOOK_WAITS.map(Number),
    batches: new Semaphore(batchesAtOnce),
  };
}

/** Hours for which the code in a mail about a forgotten password is valid. */
const forgottenHours = 1;

function mailTools(
  { config, log, store, metrics }: BackgroundTools,
  { mailer, templates, brand, issueInvitation }: MailParts,
): MailDeliveryTools {
  const issueForgotten = codeIssuer({ days: forgottenHours / 24, publicUrl: config.PUBLIC_URL });
  return {
    mailer,
    store: openMailDelivery(store.database),
    composing: { templates, brand, defaultLanguage: config.MAIL_LANGUAGE },
    issueCode: (kind) => (kind === 'invitation' ? issueInvitation() : issueForgotten()),
    waits: config.MAIL_WAITS.map(Number),
    maxFailed: config.MAIL_MAX_FAILED,
    onResult: metrics.mailAttempted,
    onUnavailable: (answer) => log.warn({ answer }, 'the mail server is unavailable; mails are retried'),
    onStopped: (call) => log.warn({ call }, 'stopped the mails of a job: too many have failed'),
  };
}

async function removeExpiredRows(
  retention: Retention,
  { log, store: { database }, metrics }: BackgroundTools,
  signal: AbortSignal,
): Promise<void> {
  const rows = await retention.removeExpired(database, {
    signal,
    onError(error, kind) {
      metrics.taskFailed('retention');
      if (!isPartOfOutage(error))
        log.error({ err: error, kind }, 'could not remove rows whose retention has ended; it is tried again');
    },
  });
  if (Object.keys(rows).length > 0) log.info({ rows }, 'removed rows whose retention has ended');
  if (signal.aborted) return;
  const { lastPosition, lastHash } = await readChain(database);
  log.info({ end: `${lastPosition}:${lastHash.toString('hex')}` }, 'end of the audit log');
}
