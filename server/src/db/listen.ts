import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const retryMs = 1000;

export interface Subscription {
  readonly channel: string;
  onNotification(payload: string): void;
  /** Called after every connect, because notifications may have been sent while no connection was listening. */
  onConnect(): void;
}

export interface Listener {
  close(): Promise<void>;
}

/**
 * Listens for the notifications of a channel on a connection of its own. A lost connection is opened again every
 * second; the error is not logged, because the pools log the outage of the database.
 */
export function listen(connection: pg.ClientConfig, subscription: Subscription): Listener {
  const closing = new AbortController();
  const listening = listenAgain();

  async function listenAgain(): Promise<void> {
    while (!closing.signal.aborted) {
      await listenUntilLost(connection, subscription, closing.signal).catch(() => undefined);
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
  { channel, onNotification, onConnect }: Subscription,
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
  client.on('notification', ({ payload = '' }) => onNotification(payload));
  try {
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    onConnect();
    await lost;
  } finally {
    // The signal outlives the connection: a long outage would otherwise add a listener every second.
    closing.removeEventListener('abort', onLost);
    await client.end().catch(() => undefined);
  }
}
