import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './database.ts';

const channel = 'anagrafe_work';
const tryAgainMs = 1000;

/** Tells every node that there is work, once the transaction that the connection is in is over. */
export async function announceWork(connection: Connection): Promise<void> {
  await connection.query(`notify ${channel}`);
}

export interface Listener {
  close(): Promise<void>;
}

/**
 * Calls `heard` whenever a node announces work. An announcement is a courtesy, since whoever hears none finds the work
 * a little later by looking for it: a connection that cannot be had or is lost is tried again without a word.
 */
export function listenForWork(connection: pg.ClientConfig, heard: () => void): Listener {
  const closing = new AbortController();
  const listening = listen();

  async function listen(): Promise<void> {
    while (!closing.signal.aborted) {
      await untilLost(connection, heard, closing.signal).catch(() => undefined);
      await sleep(tryAgainMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  return {
    async close() {
      closing.abort();
      await listening;
    },
  };
}

async function untilLost(
  connection: pg.ClientConfig,
  heard: () => void,
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
  client.on('notification', heard);
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
    // Something may have been announced while nobody listened.
    heard();
    await lost;
  } finally {
    // The signal outlives the connection: during a long outage there is a new connection every second.
    closing.removeEventListener('abort', onLost);
    await client.end().catch(() => undefined);
  }
}
