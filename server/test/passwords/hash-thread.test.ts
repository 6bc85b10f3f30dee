import { verify } from '@node-rs/argon2';
import { expect, it } from 'vitest';
import { HashThread } from '../../src/passwords/hash-thread.ts';

const cost = { memoryCost: 1024, timeCost: 1, parallelism: 1 };
const work = (password: string, ownCost = cost) => ({ kind: 'hash', password, cost: ownCost }) as const;

/** Returns the order in which a thread completes tasks that were all queued before it started. */
async function orderOf(urgent: number, others: number): Promise<string[]> {
  const thread = new HashThread();
  const done: string[] = [];
  const ask = (name: string) =>
    thread.ask(work(`password ${name}`), name.startsWith('urgent')).then(() => done.push(name));
  const all = [
    ...Array.from({ length: others }, (_, n) => ask(`other:${n}`)),
    ...Array.from({ length: urgent }, (_, n) => ask(`urgent:${n}`)),
  ];
  expect([thread.load, thread.urgent]).toEqual([urgent + others, urgent]);
  await Promise.all(all);
  expect([thread.load, thread.urgent]).toEqual([0, 0]);
  await thread.close();
  return done;
}

it('a hash thread hashes urgent passwords before others, and each kind in the order of arrival', async () => {
  expect(await orderOf(2, 3)).toEqual(['urgent:0', 'urgent:1', 'other:0', 'other:1', 'other:2']);
});

it('a hash thread hashes one of the other passwords after 16 urgent ones', async () => {
  const done = await orderOf(20, 2);
  expect([done.indexOf('other:0'), done.indexOf('other:1')]).toEqual([16, 21]);
});

it('a hash thread accepts a password while others are queued', async () => {
  const thread = new HashThread();
  const done: string[] = [];
  const ask = (name: string) => thread.ask(work(name), false).then(() => done.push(name));
  const all = [ask('first'), ask('second'), ask('third')];
  await all[0];
  all.push(ask('late'));
  expect(thread.load).toBe(3);
  await Promise.all(all);
  expect(done).toEqual(['first', 'second', 'third', 'late']);
  await thread.close();
});

it('a hash thread rejects its queued passwords when it is closed, and restarts with the next one', async () => {
  const thread = new HashThread();
  await thread.ask(work('the first password'), false);
  // A hash at this cost takes several hundred milliseconds, so that it has not ended when the thread is closed.
  const long = { memoryCost: 65_536, timeCost: 6, parallelism: 1 };
  const lost = [thread.ask(work('one', long), false), thread.ask(work('another', long), true)].map((done) =>
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

it('a hash thread reports the error of a failed hash, and hashes the next password', async () => {
  const thread = new HashThread();
  const poor = work('a password', { ...cost, memoryCost: 1 });
  await expect(thread.ask(poor, false)).rejects.toThrow(/memory/i);
  await expect(thread.ask(poor, true)).rejects.toThrow(/memory/i);
  const { result } = await thread.ask(work('the next password'), false);
  expect(await verify(String(result), 'the next password')).toBe(true);
  await thread.close();
});
