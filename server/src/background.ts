import type { Logger } from 'pino';
import { openChainWriter, readChain } from './audit/hash-chain.store.ts';
import { startChainWorker } from './audit/hash-chain.ts';
import type { Config } from './config.ts';
import type { KeyRing } from './encryption/key-ring.ts';
import type { Queue } from './jobs/queue.ts';
import type { ChunkTools } from './jobs/run-chunk.ts';
import { isPartOfOutage } from './lib/field-errors.ts';
import { Semaphore } from './lib/semaphore.ts';
import { deleteExpiredRows, sweepCalls } from './retention.store.ts';
import type { Store } from './store.ts';
import type { Signing } from './webhooks/attempt.ts';
import { batchesAtOnce, type DeliveryTools, deliverDue } from './webhooks/deliver.ts';
import { createDeliveries, dueWebhooks, openDeliveries } from './webhooks/deliveries.store.ts';

export type Background = Awaited<ReturnType<typeof startBackground>>;

interface BackgroundTools {
  readonly config: Config;
  readonly log: Logger;
  readonly store: Store;
  readonly queue: Queue;
  readonly keyRing: KeyRing;
  readonly jobs: ChunkTools;
  readonly signing: Signing;
}

export async function startBackground(tools: BackgroundTools) {
  const { log, store, queue, keyRing } = tools;
  await queue.workOnChunks(tools.jobs);
  const deliveries = deliveryTools(tools);
  await queue.workOnWebhooks((id, signal) =>
    deliverDue(id, deliveries, signal).catch((error) => {
      if (!isPartOfOutage(error))
        log.warn({ err: error, webhook: id }, 'webhook deliveries were interrupted; they are retried');
    }),
  );
  await queue.repeat('retention', '17 * * * *', () => sweep(tools));
  const extendChain = openChainWriter(store.queue, (...row) => keyRing.hashRow(...row));
  const chainWorker = startChainWorker(
    async () => {
      await tools.jobs.hasher.interactiveEnded();
      const moreRows = await extendChain();
      const moreDeliveries = await createDeliveries(store.queue);
      await queue.enqueueWebhooks(await dueWebhooks(store.queue));
      return moreRows || moreDeliveries;
    },
    (error) =>
      log.error(
        { err: error },
        'could not extend the hash chain of the audit log or create webhook deliveries',
      ),
  );
  return {
    async stop() {
      // The chain worker stops before the queue, because it uses the queue.
      await chainWorker.stop();
      await queue.stop();
    },
  };
}

function deliveryTools({ config, log, store, signing }: BackgroundTools): DeliveryTools {
  return {
    ...signing,
    store: openDeliveries(store.database),
    onDisabled: (webhook, reason) => log.warn({ webhook, reason }, 'webhook disabled'),
    waits: config.WEBHOOK_WAITS.map(Number),
    batches: new Semaphore(batchesAtOnce),
  };
}

async function sweep({ config, log, store: { database } }: BackgroundTools): Promise<void> {
  const calls = await sweepCalls(database, { jobDays: config.JOB_DAYS });
  const rows = await deleteExpiredRows(database, {
    deliveryDays: config.DELIVERY_DAYS,
    auditDays: config.AUDIT_DAYS,
  });
  if (calls + rows > 0) log.info({ calls, rows }, 'deleted rows whose retention has ended');
  const { lastPosition, lastHash } = await readChain(database);
  log.info({ end: `${lastPosition}:${lastHash.toString('hex')}` }, 'end of the audit log');
}
