import { verify } from '@node-rs/argon2';
import { expect, it } from 'vitest';
import { HashThread } from '../../src/passwords/hash-thread.ts';

const cost = { memoryCost: 1024, timeCost: 1, parallelism: 1 };
const work = (password: string, ownCost = cost) => ({ kind: 'hash', password, cost: ownCost }) as const;

it('a hash thread is busy until its password is hashed', async () => {
  const thread = new HashThread();
  expect(thread.isBusy).toBe(false);
  const hashing = thread.run(work('a password'));
  expect(thread.isBusy).toBe(true);
  await hashing;
  expect(thread.isBusy).toBe(false);
  await thread.close();
});

it('a hash thread rejects its password when it is closed, and restarts with the next one', async () => {
  const thread = new HashThread();
  await thread.run(work('the first password'));
  // A hash at this cost takes several hundred milliseconds, so that it has not ended when the thread is closed.
  const long = { memoryCost: 65_536, timeCost: 6, parallelism: 1 };
  const lost = thread.run(work('one', long)).catch((error: Error) => error.name);
  await thread.close();
  expect(await lost).toBe('ThreadEnded');
  expect(thread.isBusy).toBe(false);
  const { result, seconds } = await thread.run(work('the password after'));
  expect(await verify(String(result), 'the password after')).toBe(true);
  expect(seconds).toBeGreaterThan(0);
  await thread.close();
});

it('a hash thread reports the error of a failed hash, and hashes the next password', async () => {
  const thread = new HashThread();
  const poor = work('a password', { ...cost, memoryCost: 1 });
  await expect(thread.run(poor)).rejects.toThrow(/memory/i);
  await expect(thread.run(poor)).rejects.toThrow(/memory/i);
  const { result } = await thread.run(work('the next password'));
  expect(await verify(String(result), 'the next password')).toBe(true);
  await thread.close();
});
