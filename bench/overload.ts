import { setTimeout as sleep } from 'node:timers/promises';
import { insertPrincipals, registrations } from './people.ts';
import { median } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { type RawAnswer, RawClient } from './running/raw-client.ts';
import { startService } from './running/service.ts';

const goal = 0.9;
const longestMedianSeconds = 5;
const peakSeconds = 15;
const loadSeconds = 30;
const callsAtOnce = 8;
const factors = [5, 10];

interface Sent extends RawAnswer {
  readonly seconds: number;
}

/**
 * Measures single registrations per second that are applied while 5 and 10 times as many are sent as passwords can be
 * hashed, divided by the most that can be applied without overload. The others are refused with `Retry-After`. The
 * client runs on the same cores as the service and its PostgreSQL, and takes processor time from the hashes, so its
 * share is part of the result; the peak is measured with the same client, which then sends few calls.
 */
export async function overload(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const [principal = 0] = await insertPrincipals(service, 1);
  const client = new RawClient(service.url);
  atEnd(async () => client.close());
  async function send(): Promise<Sent> {
    const body = JSON.stringify([{ ID: principal, Users: registrations(1) }]);
    const start = performance.now();
    const answer = await client.post('/api/sync/v1/irs/update', body);
    return { ...answer, seconds: (performance.now() - start) / 1000 };
  }
  await peakRate(send);
  const peak = await peakRate(send);
  const results: string[] = [];
  for (const factor of factors) {
    const before = process.cpuUsage();
    const sent = await sendAtRate(send, peak * factor);
    const { user, system } = process.cpuUsage(before);
    const applied = sent.filter(({ status }) => status === 200);
    const refused = sent.filter(({ status, retryAfter }) => status === 503 && retryAfter > 0);
    const others = sent.length - applied.length - refused.length;
    if (others > 0) throw new Error(`${others} calls had another answer`);
    // Calls that are answered after the load has ended do not count.
    const goodput = applied.filter(({ endedAfter }) => endedAfter <= loadSeconds).length / loadSeconds;
    const wait = median(applied.map(({ seconds }) => seconds));
    const refusal = median(refused.map(({ seconds }) => seconds));
    const clientPart = (user + system) / (loadSeconds * 1e6);
    results.push(
      `${factor} times: ${(goodput / peak).toFixed(2)}, median wait ${wait.toFixed(2)} s, refused after ${(refusal * 1000).toFixed(0)} ms, client ${(clientPart * 100).toFixed(0)} % of a core`,
    );
    await sleep(5000);
  }
  return `overload  goodput over the peak of ${peak.toFixed(0)} registrations/s (to reach: ${goal}; median wait under ${longestMedianSeconds} s)  [${results.join('; ')}]`;
}

/** Returns the registrations per second if each of a few clients waits for its answer before it sends again. */
async function peakRate(send: () => Promise<Sent>): Promise<number> {
  const end = performance.now() + peakSeconds * 1000;
  let applied = 0;
  async function client(): Promise<void> {
    while (performance.now() < end) if ((await send()).status === 200) applied++;
  }
  await Promise.all(Array.from({ length: callsAtOnce }, client));
  return applied / peakSeconds;
}

/** Sends at a constant rate, however long the answers take. */
async function sendAtRate(
  send: () => Promise<Sent>,
  rate: number,
): Promise<(Sent & { readonly endedAfter: number })[]> {
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  const calls: Promise<Sent & { readonly endedAfter: number }>[] = [];
  while (elapsed() < loadSeconds) {
    while (calls.length < elapsed() * rate)
      calls.push(send().then((sent) => ({ ...sent, endedAfter: elapsed() })));
    await sleep(5);
  }
  return Promise.all(calls);
}
