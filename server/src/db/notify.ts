import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './database.ts';

const channel = 'anagrafe_work';
const retryMs = 1000;

/** Notifies every node of new work. PostgreSQL delivers the notification when the transaction commits. */
export async function notifyWorkers(connection: Connection): Promise<void> {
  await connection.query(`notify ${channel}`);
}

export interface Listener {
  close(): Promise<void>;
}

/**
 * Calls `onWork` on every notification of new work, and after every connect. Workers also poll, so a missed
 * notification only delays them: a lost connection is opened again every second, and its error is not logged.
 */
export function listenForWork(connection: pg.ClientConfig, onWork: () => void): Listener {
  const closing = new AbortController();
  const listening = listen();

  async function listen(): Promise<void> {
    while (!closing.signal.aborted) {
      await listenUntilLost(connection, onWork, closing.signal).catch(() => undefined);
      await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  return {
    async close() {
      closing.abort();
      await listening;
    },
  };
}

async function listenUntilLost(
  connection: pg.ClientConfig,
  onWork: () => void,
  closing: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    ...connection,
    application_name: 'anagrafe',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  let onLost = () => {};
  const lost = new Promise<void>((resolve) => {
    onLost = resolve;
  });
  client.on('error', onLost);
  client.on('end', onLost);
  closing.addEventListener('abort', onLost);
  client.on('notification', onWork);
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
    // A notification may have been sent while no connection was listening.
    onWork();
    await lost;
  } finally {
    // The signal outlives the connection: a long outage would otherwise add a listener every second.
    closing.removeEventListener('abort', onLost);
    await client.end().catch(() => undefined);
  }
}
