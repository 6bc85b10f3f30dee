import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { insertPrincipals, registrations } from './people.ts';
import { median } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 0.9;
const longestMedianSeconds = 5;
const peakSeconds = 15;
const loadSeconds = 30;
const callsAtOnce = 8;
const factors = [5, 10];

/**
 * Measures single registrations per second that are applied while 5 and 10 times as many are sent as passwords can be
 * hashed, divided by the most that can be applied without overload. The others are refused with `Retry-After`.
 */
export async function overload(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const [principal = 0] = await insertPrincipals(service, 1);
  const agent = new Agent({ keepAlive: true });
  const send = (): Promise<Sent> => sendRegistration(service, agent, principal);
  await peakRate(send);
  const peak = await peakRate(send);
  const results: string[] = [];
  for (const factor of factors) {
    const sent = await sendAtRate(send, peak * factor);
    const applied = sent.filter(({ status }) => status === 200);
    const refused = sent.filter(({ status, retryAfter }) => status === 503 && retryAfter > 0);
    const others = sent.length - applied.length - refused.length;
    if (others > 0) throw new Error(`${others} calls had another answer`);
    // Calls that are answered after the load has ended do not count.
    const goodput = applied.filter(({ endedAfter }) => endedAfter <= loadSeconds).length / loadSeconds;
    const wait = median(applied.map(({ seconds }) => seconds));
    const refusal = median(refused.map(({ seconds }) => seconds));
    results.push(
      `${factor} times: ${(goodput / peak).toFixed(2)}, median wait ${wait.toFixed(2)} s, refused after ${(refusal * 1000).toFixed(0)} ms`,
    );
    await sleep(5000);
  }
  agent.destroy();
  return `overload  goodput over the peak of ${peak.toFixed(0)} registrations/s (to reach: ${goal}; median wait under ${longestMedianSeconds} s)  [${results.join('; ')}]`;
}

interface Sent {
  readonly status: number;
  /** The value of `Retry-After`; 0 without the header. */
  readonly retryAfter: number;
  readonly seconds: number;
}

function sendRegistration(service: MeasuredService, agent: Agent, principal: number): Promise<Sent> {
  const body = JSON.stringify([{ ID: principal, Users: registrations(1) }]);
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const call = request(
      `${service.url}/api/sync/v1/irs/update`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        const { statusCode: status = 0, headers } = response;
        response.resume().once('end', () => {
          const retryAfter = Number(headers['retry-after'] ?? 0);
          resolve({ status, retryAfter, seconds: (performance.now() - start) / 1000 });
        });
      },
    );
    call.once('error', reject).end(body);
  });
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
