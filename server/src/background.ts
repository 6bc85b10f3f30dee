import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { isPartOfOutage } from './core/faults.ts';
import type { ChunkTools } from './core/jobs/chunk.ts';
import { Slots } from './core/records/slots.ts';
import type { Vault } from './core/sealing/vault.ts';
import type { Signing } from './core/webhooks/attempt.ts';
import { batchesAtOnce, type DeliveryTools, deliverDue, threeDays } from './core/webhooks/deliver.ts';
import type { Queue } from './jobs/queue.ts';
import { startSequencer } from './jobs/sequencer.ts';
import { workOnJobs } from './jobs/worker.ts';
import { dueWebhooks, makeOutDeliveries, openDeliveries } from './storage/deliveries.ts';
import { sweepAccounts, sweepCalls } from './storage/retention.ts';
import { openSequence, readChain } from './storage/sequence.ts';
import type { Store } from './store.ts';

export interface Background {
  stop(): Promise<void>;
}

interface BackgroundTools {
  readonly config: Config;
  readonly log: Logger;
  readonly store: Store;
  readonly queue: Queue;
  readonly vault: Vault;
  readonly jobs: ChunkTools;
  readonly signing: Signing;
}

/** Begins with what nobody waits for: jobs, the order of the journal, deliveries, and the removal of what is old. */
export async function startBackground(tools: BackgroundTools): Promise<Background> {
  const { log, store, queue, vault } = tools;
  await workOnJobs(queue, tools.jobs);
  const listener = store.listen(() => queue.wake());
  const deliveries = deliveryTools(tools);
  await queue.workOnWebhooks((id, signal) =>
    deliverDue(id, deliveries, signal).catch((error) => {
      if (!isPartOfOutage(error)) log.warn({ err: error, webhook: id }, 'deliveries were broken off');
    }),
  );
  await queue.repeat('retention', '17 * * * *', () => sweep(tools));
  const sequence = openSequence(store.queue, (...row) => vault.sealRow(...row));
  const sequencer = startSequencer(
    async () => {
      const more = await sequence();
      const behind = await makeOutDeliveries(store.queue);
      await queue.enqueueWebhooks(await dueWebhooks(store.queue));
      return more || behind;
    },
    (error) => log.error({ err: error }, 'the journal could not be sealed, or deliveries not be made out'),
  );
  return {
    async stop() {
      // First, since it puts work into the queue.
      await Promise.all([sequencer.stop(), listener.close()]);
      await queue.stop();
    },
  };
}

function deliveryTools({ config, log, store, signing }: BackgroundTools): DeliveryTools {
  return {
    ...signing,
    store: openDeliveries(store.database),
    onDisabled: (webhook, why) => log.warn({ webhook, why }, 'a webhook was disabled'),
    waits: config.WEBHOOK_WAITS.length > 0 ? config.WEBHOOK_WAITS.map(Number) : threeDays,
    batches: new Slots(batchesAtOnce),
  };
}

async function sweep({ config, log, store: { database } }: BackgroundTools): Promise<void> {
  const calls = await sweepCalls(database, { jobDays: config.JOB_DAYS });
  const rows = await sweepAccounts(database, {
    deliveryDays: config.DELIVERY_DAYS,
    auditDays: config.AUDIT_DAYS,
  });
  if (calls + rows > 0) log.info({ calls, rows }, 'what was kept long enough was removed');
  const { lastPosition, lastSeal } = await readChain(database);
  log.info({ end: `${lastPosition}:${lastSeal.toString('hex')}` }, 'the journal ends here');
}
