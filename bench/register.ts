import { bareRate } from './bare.ts';
import { insertPrincipals, registrations } from './people.ts';
import { besideBare, type Round, ratioOf, roundsText, timed } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { watchHealth } from './running/health.ts';
import { startService } from './running/service.ts';

const goal = 0.95;

/** Measures registrations in calls of 1,000 users and in a job of 10,000, divided by bare hashing on the same cores. */
export async function register(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const principals = await insertPrincipals(service, 1000);
  await bareRate(100);
  const calls: Round[] = [];
  const health = watchHealth(service.url);
  for (let round = 1; round <= 3; round++) {
    const body = [{ ID: principals[0], Users: registrations(1000) }];
    calls.push(await besideBare(1000, () => timed(() => service.call('irs/update', body))));
  }
  const body = principals.map((ID) => ({ ID, Users: registrations(10) }));
  const job = await besideBare(10_000, () => service.job('irs/update', body));
  const { longest, p99 } = health.stop();
  return `register  ${ratioOf(calls).toFixed(2)} of bare hashing in a call of 1,000, ${ratioOf([job]).toFixed(2)} in a job of 10,000 (to reach: ${goal})  [users/s ${roundsText(calls)}; job ${roundsText([job])}; health p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms]`;
}
