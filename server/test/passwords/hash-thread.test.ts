import { verify } from '@node-rs/argon2';
import { expect, it } from 'vitest';
import { HashThread } from '../../src/passwords/hash-thread.ts';

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

it('hashes what it is given while it is at work, and what is urgent before the rest', async () => {
  const thread = new HashThread(cost);
  await thread.hash('the first password', false);
  const done: string[] = [];
  const ask = (name: string, urgent: boolean) => thread.hash(name, urgent).then(() => done.push(name));
  const all = [ask('at hand', false), ask('next', false), ask('last', false)];
  await all[0];
  all.push(ask('urgent', true));
  expect([thread.load, thread.urgent]).toEqual([3, 1]);
  await Promise.all(all);
  // It may have begun with the next one when the urgent one came.
  expect(done.filter((name) => name !== 'urgent')).toEqual(['at hand', 'next', 'last']);
  expect(done.indexOf('urgent')).toBeLessThan(3);
  expect([thread.load, thread.urgent]).toEqual([0, 0]);
  await thread.close();
});

it('fails what it had in hand when it ends, and begins anew with the next password', async () => {
  const thread = new HashThread(cost);
  await thread.hash('the first password', false);
  const lost = [thread.hash('one', false), thread.hash('another', true)].map((hash) =>
    hash.catch((error: Error) => error.message),
  );
  await thread.close();
  expect(await Promise.all(lost)).toEqual(Array(2).fill('the thread that hashes has ended'));
  expect([thread.load, thread.urgent]).toEqual([0, 0]);
  const { hash, seconds } = await thread.hash('the password after', false);
  expect(await verify(hash, 'the password after')).toBe(true);
  expect(seconds).toBeGreaterThan(0);
  await thread.close();
});

it('tells why a password could not be hashed, and goes on', async () => {
  const thread = new HashThread({ ...cost, memoryCost: 1 });
  await expect(thread.hash('a password', false)).rejects.toThrow(/memory/i);
  await expect(thread.hash('a password', true)).rejects.toThrow(/memory/i);
  await thread.close();
});
