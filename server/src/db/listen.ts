import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Client } from './client.ts';

const retryMs = 1000;
/** Time limit of the connect and of the statement `listen`. */
const answerMs = 10_000;

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
 * second. `onError` is called when it is lost, and not again until it was restored.
 */
export function listen(
  connection: pg.ClientConfig,
  subscription: Subscription,
  onError: (error: Error) => void,
): Listener {
  const closing = new AbortController();
  const listening = listenAgain();

  async function listenAgain(): Promise<void> {
    let reported = false;
    const onConnect = () => {
      reported = false;
      subscription.onConnect();
    };
    while (!closing.signal.aborted) {
      await listenUntilLost(connection, { ...subscription, onConnect }, closing.signal).catch((error) => {
        if (!reported && !closing.signal.aborted) onError(error);
        reported = true;
      });
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
  const client = new Client({
    application_name: 'anagrafe',
    ...connection,
    keepAlive: true,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  let onEnd = () => {};
  const lost = new Promise<void>((resolve, reject) => {
    onEnd = resolve;
    client.on('error', reject);
  });
  // The error may occur before anything waits for it.
  lost.catch(() => undefined);
  client.on('end', onEnd);
  closing.addEventListener('abort', onEnd);
  client.on('notification', ({ payload = '' }) => onNotification(payload));
  try {
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    onConnect();
    await lost;
  } finally {
    // The signal outlives the connection: a long outage would otherwise add a listener every second.
    closing.removeEventListener('abort', onEnd);
    await client.end().catch(() => undefined);
  }
}
