import { setTimeout as sleep } from 'node:timers/promises';
import { hashedRegistrations, insertPrincipals } from './people.ts';
import { median } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { memoryOf, watchMemory } from './running/memory.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 4;
const users = 100_000;
const rounds = 3;

/**
 * Measures how much the memory of the service grows while a job writes one record of 100,000 users with a `PasswordHash`,
 * divided by the length of the body: a new principal, users added to a stored one, and an upsert of both. Each round has
 * a new service; the ratios are medians.
 */
export async function largeRecord(atEnd: AtEnd): Promise<string> {
  const inserted = await measure(atEnd, 'irs/insert', async () => ({
    ExternalKey: 'large',
    Denomination: 'A large company',
  }));
  const updated = await measure(atEnd, 'irs/update', async (service) => {
    const [ID = 0] = await insertPrincipals(service, 1);
    return { ID };
  });
  const upserted = await measure(atEnd, 'irs/upsert', async () => ({
    ExternalKey: 'large',
    Denomination: 'A large company',
  }));
  return `large-record  ${inserted.ratio} times the body with irs/insert, ${updated.ratio} with irs/update, ${upserted.ratio} with irs/upsert (to reach: ${goal} or less, each)  [MB over idle: ${inserted.text}; ${updated.text}; ${upserted.text}]`;
}

async function measure(
  atEnd: AtEnd,
  path: string,
  principalOn: (service: MeasuredService) => Promise<object>,
): Promise<{ ratio: string; text: string }> {
  const ratios: number[] = [];
  const texts: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const service = await startService(atEnd);
    const principal = await principalOn(service);
    const Users = hashedRegistrations(users).map((user) => ({
      ...user,
      Email: `${user.Username}@example.com`,
    }));
    const body = JSON.stringify([{ ...principal, Users }]);
    // The memory of the start is released meanwhile.
    await sleep(2000);
    const idle = memoryOf(service.pid);
    const memory = watchMemory([service.pid]);
    await service.job(path, body);
    const [peak = 0] = memory.stop();
    await service.stop();
    const bodyMb = body.length / 1024 / 1024;
    ratios.push((peak - idle) / bodyMb);
    texts.push(`${(peak - idle).toFixed(0)} (body ${bodyMb.toFixed(1)})`);
  }
  return { ratio: median(ratios).toFixed(2), text: texts.join(', ') };
}
