import { bareRate } from './bare.ts';
import { insertPrincipals, populate, resets } from './people.ts';
import { besideBare, type Round, ratioOf, roundsText, timed } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { startService } from './running/service.ts';

const goal = 0.95;

/** Measures resets in calls of 1,000 users and in a job of 10,000, divided by bare hashing on the same cores. */
export async function reset(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const userIds = await populate(service, await insertPrincipals(service, 1000), 10);
  const records = [...userIds].map(([ID, users]) => ({ ID, users }));
  await bareRate(100);
  const calls: Round[] = [];
  for (let round = 1; round <= 3; round++) {
    const body = records.slice(0, 100).map(({ ID, users }) => ({ ID, Users: resets(users) }));
    calls.push(await besideBare(1000, () => timed(() => service.call('irs/update', body))));
  }
  const body = records.map(({ ID, users }) => ({ ID, Users: resets(users) }));
  const job = await besideBare(10_000, () => service.job('irs/update', body));
  return `reset  ${ratioOf(calls).toFixed(2)} of bare hashing in a call of 1,000, ${ratioOf([job]).toFixed(2)} in a job of 10,000 (to reach: ${goal})  [users/s ${roundsText(calls)}; job ${roundsText([job])}]`;
}
