import { verify } from '@node-rs/argon2';
import { expect, it } from 'vitest';
import { HashThread } from '../../src/passwords/hash-thread.ts';

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const work = (password: string) => ({ kind: 'hash', password, cost }) as const;

it('hashes what it is given while it is at work, and what is urgent before the rest', async () => {
  const thread = new HashThread();
  await thread.ask(work('the first password'), false);
  const done: string[] = [];
  const ask = (name: string, urgent: boolean) => thread.ask(work(name), urgent).then(() => done.push(name));
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
  const thread = new HashThread();
  await thread.ask(work('the first password'), false);
  const lost = [thread.ask(work('one'), false), thread.ask(work('another'), true)].map((done) =>
    done.catch((error: Error) => error.name),
  );
  await thread.close();
  expect(await Promise.all(lost)).toEqual(['ThreadEnded', 'ThreadEnded']);
  expect([thread.load, thread.urgent]).toEqual([0, 0]);
  const { result, seconds } = await thread.ask(work('the password after'), false);
  expect(await verify(String(result), 'the password after')).toBe(true);
  expect(seconds).toBeGreaterThan(0);
  await thread.close();
});

it('tells why a password could not be hashed, and goes on', async () => {
  const thread = new HashThread();
  const poor = { ...work('a password'), cost: { ...cost, memoryCost: 1 } };
  await expect(thread.ask(poor, false)).rejects.toThrow(/memory/i);
  await expect(thread.ask(poor, true)).rejects.toThrow(/memory/i);
  await thread.close();
});
