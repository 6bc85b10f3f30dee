import { setTimeout as sleep } from 'node:timers/promises';
import { wrongFigures } from '@anagrafe/testing/figures';
import { importedUser } from '@anagrafe/testing/jobs';
import { until } from '@anagrafe/testing/until';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../src/db/database.ts';

/** A hung service must not hold a caller; it sends the same call again, as a real one does. */
const attemptMs = 10_000;
const pauseMs = 50;
const usersPerPrincipal = 2;
/** Statuses after which a call may be sent again with the same key. */
const retried = [409, 429, 500, 503];

/** Builds the body of an insert of one principal whose denomination occurs nowhere else. */
export const bodyOf = (name: string) => [
  {
    Denomination: name,
    Users: Array.from({ length: usersPerPrincipal }, (_, n) => importedUser(`${name} user ${n}`)),
  },
];

/** Denominations of the principals in the calls of a test: the model that the database is compared with. */
export interface Model {
  readonly sent: Set<string>;
  /** Those whose call was answered with 200. */
  readonly acknowledged: Set<string>;
}

export interface Callers extends Model {
  /** Calls that were refused at least once with 409, because another request held their lease. */
  readonly waited: Set<string>;
  /** The service that the next attempts go to. */
  url: string;
  /** Waits until a call that begins now is acknowledged, and returns the milliseconds that passed. */
  untilServed(): Promise<number>;
  /** Waits until this many further calls are acknowledged. */
  untilAcknowledged(further: number): Promise<void>;
  /** Waits until each caller has the answer to its last call. */
  stop(): Promise<void>;
}

/**
 * Starts callers that insert principals, one call after the other. Each call is sent again with its idempotency key until
 * it is answered. A principal without a key of its own could be stored twice, so a repeated write is seen.
 */
export function keepInserting(url: string, count = 6): Callers {
  let running = true;
  let next = 0;
  let ended = false;
  let failure: unknown;
  const callers: Callers = {
    url,
    sent: new Set(),
    acknowledged: new Set(),
    waited: new Set(),
    async untilServed() {
      const started = performance.now();
      for (;;) {
        const name = `probe-${next++}`;
        if (await attempt(callers, name)) return performance.now() - started;
        await sleep(pauseMs);
      }
    },
    async untilAcknowledged(further) {
      const before = callers.acknowledged.size;
      await until(() => {
        if (failure !== undefined) throw failure;
        return callers.acknowledged.size >= before + further;
      });
    },
    async stop() {
      running = false;
      await all;
    },
  };
  async function caller(): Promise<void> {
    while (running) {
      const name = `call-${next++}`;
      while (!(await attempt(callers, name, { 'idempotency-key': name }))) {
        if (ended) return;
        await sleep(pauseMs);
      }
    }
  }
  const all = Promise.all(Array.from({ length: count }, caller));
  all.catch((error) => {
    failure = error;
  });
  onTestFinished(() => {
    running = false;
    ended = true;
  });
  return callers;
}

/** Sends a call once; returns whether it was acknowledged. */
export async function attempt(
  callers: Pick<Callers, 'url' | 'sent' | 'acknowledged' | 'waited'>,
  name: string,
  headers: Record<string, string> = {},
): Promise<boolean> {
  callers.sent.add(name);
  const answer = await fetch(`${callers.url}/api/sync/v1/irs/insert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(bodyOf(name)),
    signal: AbortSignal.timeout(attemptMs),
  }).catch(() => null);
  const text = await answer?.text().catch(() => null);
  if (!answer || typeof text !== 'string') return false;
  if (answer.status === 409) callers.waited.add(name);
  if (answer.status === 200) callers.acknowledged.add(name);
  else if (!retried.includes(answer.status)) throw new Error(`unexpected answer: ${text}`);
  return answer.status === 200;
}

/**
 * Expects the database to have each acknowledged principal once, with all its users, and to have others only if they were
 * sent, also once and whole.
 */
export async function expectStoredOnce(database: Database, { sent, acknowledged }: Model): Promise<void> {
  const answered = [...acknowledged];
  const rows = await database.query<{ name: string; principals: number; users: number }>(
    `select denomination as name, count(distinct principal.id)::int as principals, count(users.id)::int as users
       from anagrafe.principals as principal left join anagrafe.users on users.principal_id = principal.id
      group by denomination`,
  );
  const names = new Set(rows.map(({ name }) => name));
  expect(rows.filter((row) => row.principals !== 1 || row.users !== usersPerPrincipal)).toEqual([]);
  expect(answered.filter((name) => !names.has(name))).toEqual([]);
  expect([...names].filter((name) => !sent.has(name))).toEqual([]);
  expect(await wrongFigures(database)).toEqual([]);
}
