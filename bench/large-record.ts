import { setTimeout as sleep } from 'node:timers/promises';
import { hashedRegistrations, insertPrincipals } from './people.ts';
import { median } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { memoryOf, watchMemory } from './running/memory.ts';
import { startService } from './running/service.ts';

const goal = 4;
const users = 100_000;
const rounds = 3;

/**
 * Measures how much the memory of the service grows while a job writes one record of 100,000 users with a `PasswordHash`,
 * divided by the length of the body: a new principal, users added to a stored one, and an upsert of a new one. Each round
 * has a new service; the ratios are medians.
 */
export async function largeRecord(atEnd: AtEnd): Promise<string> {
  const principal = { ExternalKey: 'large', Denomination: 'A large company' };
  const inserted = await measure(atEnd, 'irs/insert', () => principal);
  const updated = await measure(atEnd, 'irs/update', (ID) => ({ ID }));
  const upserted = await measure(atEnd, 'irs/upsert', () => principal);
  return `large-record  ${inserted.ratio} times the body with irs/insert, ${updated.ratio} with irs/update, ${upserted.ratio} with irs/upsert (to reach: ${goal} or less, each)  [MB over idle: ${inserted.text}; ${updated.text}; ${upserted.text}]`;
}

async function measure(
  atEnd: AtEnd,
  path: string,
  principalOf: (stored: number) => object,
): Promise<{ ratio: string; text: string }> {
  const ratios: number[] = [];
  const texts: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const service = await startService(atEnd);
    const [stored = 0] = await insertPrincipals(service, 1);
    const Users = hashedRegistrations(users).map((user) => ({
      ...user,
      Email: `${user.Username}@example.com`,
    }));
    const body = JSON.stringify([{ ...principalOf(stored), Users }]);
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
