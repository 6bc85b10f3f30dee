import { setImmediate as turn } from 'node:timers/promises';
import { verify } from '@node-rs/argon2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Aborted } from '../../src/lib/aborted.ts';
import { ApiError } from '../../src/lib/field-errors.ts';
import { HashPool, type HashPoolOptions } from '../../src/passwords/hash-pool.ts';
import type { Lane } from '../../src/passwords/hash-scheduler.ts';
import { HashThread } from '../../src/passwords/hash-thread.ts';

const pools: HashPool[] = [];

/** Opens a pool with a low cost, unless the options set one. `afterEach` closes it. */
function open(options: Partial<HashPoolOptions> = {}): HashPool {
  const pool = new HashPool({ concurrency: 1, memoryKib: 1024, passes: 1, maxWaitSeconds: 600, ...options });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** Hashes `count` passwords in one call. `done` receives their names in the order of completion. */
async function ask(pool: HashPool, share: string, count: number, done: string[] = []): Promise<unknown> {
  const { hash, end } = pool.admit({ share, count });
  return Promise.all(
    Array.from({ length: count }, (_, n) => hash(`password ${n}`).then(() => done.push(`${share}:${n}`))),
  ).finally(end);
}

/** Hashes passwords in calls of their own, which go before the calls with several. */
function askOneByOne(pool: HashPool, share: string, count: number, done: string[] = []): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, () => ask(pool, share, 1, done)));
}

const hashOne = (pool: HashPool, password: string) => pool.hashOne(password, 'a');

describe('a hash of the pool', () => {
  it('is argon2id in PHC string format, with the configured cost', async () => {
    const hash = await hashOne(open({ memoryKib: 19_456, passes: 2 }), 'correct horse battery');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/);
    const costly = await hashOne(open({ memoryKib: 24_576, passes: 3 }), 'correct horse battery');
    expect(costly).toContain('$m=24576,t=3,p=1$');
  });

  it('verifies only its own password, and has a unique salt', async () => {
    const pool = open();
    for (const password of ['correct horse battery', 'pässwörd 🐎 ΑΒΓ', 'x'.repeat(128)]) {
      const [one = '', other = ''] = await Promise.all([hashOne(pool, password), hashOne(pool, password)]);
      expect(one).not.toBe(other);
      expect(one.split('$')[4]).not.toBe(other.split('$')[4]);
      expect(await verify(one, password)).toBe(true);
      expect(await verify(other, password)).toBe(true);
      expect(await verify(one, `${password} `)).toBe(false);
      expect(await verify(one, password.slice(0, -1))).toBe(false);
    }
  });
});

describe('the hash pool', () => {
  it.each([1, 2, 3])('runs at most %d hashes at once', async (concurrency) => {
    let most = 0;
    const pool = open({ concurrency, onHash: () => watch() });
    const { scheduler } = pool;
    const watch = () => {
      most = Math.max(most, scheduler.running);
    };
    let finished = false;
    const all = Promise.all([ask(pool, 'a', 12), askOneByOne(pool, 'b', 6), ask(pool, 'c', 6)]).finally(
      () => {
        finished = true;
      },
    );
    expect(scheduler.running).toBe(concurrency);
    expect(scheduler.waiting('bulk') + scheduler.waiting('interactive')).toBe(24 - concurrency);
    while (!finished) {
      watch();
      await turn();
    }
    await all;
    expect(most).toBe(concurrency);
    expect([scheduler.running, scheduler.waiting('bulk'), scheduler.waiting('interactive')]).toEqual([
      0, 0, 0,
    ]);
  });

  it('hashes an interactive password after at most one of an earlier bulk call', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([ask(pool, 'erp', 20, done), ask(pool, 'mario', 1, done)]);
    expect(done.indexOf('mario:0')).toBeLessThanOrEqual(1);
    expect(done.filter((name) => name !== 'mario:0')).toEqual(
      Array.from({ length: 20 }, (_, n) => `erp:${n}`),
    );
  });

  it('hashes a bulk password after at most 16 interactive ones', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([askOneByOne(pool, 'people', 40, done), ask(pool, 'erp', 2, done)]);
    expect(done.indexOf('erp:0')).toBeLessThanOrEqual(16);
    expect(done.indexOf('erp:1')).toBeLessThanOrEqual(33);
  });

  it('serves bulk callers in round-robin order', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([ask(pool, 'a', 4, done), ask(pool, 'b', 2, done)]);
    // The first password of `a` is being hashed when `b` arrives.
    expect(done).toEqual(['a:0', 'a:1', 'b:0', 'a:2', 'b:1', 'a:3']);
  });

  it('reports the duration and the lane of each hash', async () => {
    const reported: [Lane, number][] = [];
    const pool = open({ concurrency: 2, onHash: (lane, seconds) => reported.push([lane, seconds]) });
    await Promise.all([ask(pool, 'a', 20), askOneByOne(pool, 'b', 2)]);
    expect(reported.filter(([lane]) => lane === 'bulk')).toHaveLength(20);
    expect(reported.filter(([lane]) => lane === 'interactive')).toHaveLength(2);
    expect(reported.filter(([, seconds]) => !(seconds > 0))).toEqual([]);
  });

  it('adapts its capacity to the time for which a hash occupies a thread, its delays included', async () => {
    let clock = 0;
    const pool = open({ now: () => clock });
    const before = 1 / pool.scheduler.capacity;
    const hashed = hashOne(pool, 'a password');
    clock += 3_600_000;
    await hashed;
    expect(1 / pool.scheduler.capacity).toBeCloseTo(before + (3600 - before) * 0.05, 6);
  });

  it('adapts its capacity to verifications of argon2 hashes, and to no other ones', async () => {
    let clock = 0;
    const pool = open({ now: () => clock });
    const { scheduler } = pool;
    const stored = await pool.calibrate();
    const [salt, key] = [16, 64].map((bytes) => Buffer.alloc(bytes, 1).toString('base64').replace(/=+$/, ''));
    const verifyFor = async (hash: string) => {
      const verified = pool.verify('a guess', hash, { known: false, source: '10.0.0.1' });
      clock += 3_600_000;
      await verified;
    };
    const before = scheduler.capacity;
    await verifyFor(`$pbkdf2-sha512$i=1000$${salt}$${key}`);
    expect(scheduler.capacity).toBe(before);
    await verifyFor(stored);
    expect(1 / scheduler.capacity).toBeCloseTo(1 / before + (3600 - 1 / before) * 0.05, 6);
  });

  it('continues after a failed hash', async () => {
    const pool = open({ memoryKib: 1 });
    const { hash, end } = pool.admit({ share: 'a', count: 3 });
    const ends = await Promise.allSettled(['one', 'two', 'three'].map((word) => hash(`${word} password`)));
    end();
    expect(ends.map((end) => end.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await turn();
    expect([pool.scheduler.running, pool.scheduler.waiting('bulk')]).toEqual([0, 0]);
  });
});

describe('a hash queue that is too long', () => {
  it('causes an ApiError with the time to wait', async () => {
    const pool = open({ maxWaitSeconds: 0.2 });
    const busy = ask(pool, 'a', 60);
    const error: ApiError = await ask(pool, 'a', 2).then(
      () => expect.unreachable(),
      (error) => error,
    );
    expect(error).toBeInstanceOf(ApiError);
    const seconds = 60 / pool.scheduler.capacity;
    expect(error.detail).toEqual({ code: 'OVERLOADED', figures: { seconds: error.retryAfterSeconds } });
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(Math.ceil(seconds));
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(Math.ceil(2 * seconds));
    await busy;
    await ask(pool, 'a', 2);
  });

  it('is measured by the work that the call itself has to wait for', async () => {
    const pool = open({ maxWaitSeconds: 0.2 });
    const busy = ask(pool, 'a', 60);
    const done: string[] = [];
    const others = [ask(pool, 'mario', 1, done), ask(pool, 'small', 2, done), ask(pool, 'none', 0, done)];
    await expect(ask(pool, 'other', 60)).rejects.toBeInstanceOf(ApiError);
    await ask(pool, 'a', 0);
    await Promise.all(others);
    expect(pool.scheduler.waiting('bulk')).toBeGreaterThan(40);
    expect(done).toEqual(['mario:0', 'small:0', 'small:1']);
    await busy;
  });
});

describe('an admitted call', () => {
  /** Returns the number of passwords that wait to be hashed or are being hashed. */
  const admitted = (pool: HashPool) => pool.estimateSeconds('a', 1) * pool.scheduler.capacity - 1;

  it('counts as queued work before its passwords are queued, until it ends', async () => {
    const pool = open({ maxWaitSeconds: 2 });
    const call = pool.admit({ share: 'a', count: 400 });
    expect([pool.scheduler.running, pool.scheduler.waiting('bulk')]).toEqual([0, 0]);
    expect(admitted(pool)).toBeCloseTo(400, 6);
    // The pool assumes 50 hashes per second before it has measured one.
    await expect(ask(pool, 'a', 2)).rejects.toBeInstanceOf(ApiError);
    call.end();
    expect(admitted(pool)).toBeCloseTo(0, 6);
    await ask(pool, 'a', 2);
  });

  it('with one password ends its count also if the hash fails', async () => {
    const pool = open({ memoryKib: 1 });
    await expect(hashOne(pool, 'a password')).rejects.toThrow();
    expect(admitted(pool)).toBeCloseTo(0, 6);
  });

  it('gives up the places of hashed passwords, and of those that need no hash', async () => {
    const pool = open();
    const call = pool.admit({ share: 'a', count: 20 });
    await call.hash('a password');
    expect(admitted(pool)).toBeCloseTo(19, 6);
    call.reduceTo(5);
    expect(admitted(pool)).toBeCloseTo(5, 6);
    call.reduceTo(0);
    expect(await verify(await call.hash('one more'), 'one more')).toBe(true);
    expect(admitted(pool)).toBeCloseTo(0, 6);
    call.end();
    expect(admitted(pool)).toBeCloseTo(0, 6);
  });

  it('with a single password keeps its place until it ends, so that jobs wait for all of its work', async () => {
    const pool = open();
    const call = pool.admit({ share: 'a', count: 1 });
    await call.hash('a password');
    expect(admitted(pool)).toBeCloseTo(1, 6);
    call.end();
    await pool.waitForInteractive();
    expect(admitted(pool)).toBeCloseTo(0, 6);
  });
});

describe('the verification of costly imported hashes', () => {
  const salt = Buffer.alloc(16, 1).toString('base64').replace(/=+$/, '');
  const key = Buffer.alloc(64, 1).toString('base64').replace(/=+$/, '');
  /** A hash whose verification takes about 40 times as long as a hash of the pool. */
  const costly = `$pbkdf2-sha512$i=40000$${salt}$${key}`;
  const swift = `$pbkdf2-sha512$i=1000$${salt}$${key}`;

  function verifyAll(pool: HashPool, name: string, hash: string, count: number, done: string[]) {
    return Array.from({ length: count }, async (_, n) => {
      await pool.verify('a password', hash, { known: false, source: '10.0.0.1' });
      done.push(`${name} ${n}`);
    });
  }

  it.each([1, 2, 3])('does not delay all other verifications, with %d threads', async (concurrency) => {
    const pool = open({ concurrency });
    const done: string[] = [];
    await Promise.all([
      ...verifyAll(pool, 'costly', costly, 6, done),
      ...verifyAll(pool, 'swift', swift, 8, done),
    ]);
    expect(done).toHaveLength(14);
    // A thread that receives the next swift ones late continues with a costly one.
    expect(done.indexOf('swift 7')).toBeLessThan(12);
  });

  it('is refused according to the cost of the queued ones, while swift ones are served', async () => {
    const pool = open({ maxWaitSeconds: 2 });
    const verifications = await Promise.allSettled([
      ...verifyAll(pool, 'costly', costly, 24, []),
      ...verifyAll(pool, 'swift', swift, 24, []),
    ]);
    const refused = verifications.filter(
      (end) => end.status === 'rejected' && end.reason instanceof ApiError,
    );
    // Each counts as 39 hashes, and the pool assumes 50 hashes per second before it has measured one: the third begins
    // after 1.6 s, the fourth would begin after 2.3 s.
    expect(refused).toHaveLength(24 - 3);
    expect(verifications.slice(24).every(({ status }) => status === 'fulfilled')).toBe(true);
  });
});

describe('a sign-in during a flood of guesses', () => {
  /** Starts 40 guesses and then one attempt. Returns the number of guesses that were verified before the attempt. */
  async function guessesBefore(
    pool: HashPool,
    guessSource: (n: number) => string,
    attempt: { known: boolean; source: string },
  ): Promise<number> {
    const hash = await pool.calibrate();
    let before = 0;
    let ended = false;
    const guesses = Array.from({ length: 40 }, async (_, n) => {
      await pool.verify('a guess', hash, { known: false, source: guessSource(n) });
      if (!ended) before++;
    });
    await pool.verify('a password', hash, attempt);
    ended = true;
    await Promise.all(guesses);
    return before;
  }

  // The thread holds two guesses when the attempt arrives, and one of the new sources may be served next.
  const ahead = 3;

  it('does not wait for guesses from many addresses if its account has signed in before', async () => {
    const attempt = { known: true, source: '10.0.0.1' };
    expect(await guessesBefore(open(), (n) => `10.0.1.${n}`, attempt)).toBeLessThanOrEqual(ahead);
  });

  it('does not wait for all guesses of another address if its account has never signed in', async () => {
    const attempt = { known: false, source: '10.0.0.1' };
    expect(await guessesBefore(open(), () => '10.0.1.1', attempt)).toBeLessThanOrEqual(ahead);
  });

  it('is not refused because of the guesses of one other address', async () => {
    const pool = open({ maxWaitSeconds: 2 });
    const hash = await pool.calibrate();
    const guess = (source: string) => pool.verify('a guess', hash, { known: false, source });
    const guesses = Promise.allSettled(Array.from({ length: 20_000 }, () => guess('10.0.1.1')));
    await expect(guess('10.0.1.1')).rejects.toBeInstanceOf(ApiError);
    expect(await guess('10.0.0.1')).toBe(false);
    await guesses;
  });
});

describe('the passwords of a job', () => {
  const newController = () => new AbortController();

  /** Hashes passwords of a job. `done` receives their names in the order of completion. */
  function askAsJob(
    pool: HashPool,
    share: string,
    count: number,
    done: string[],
    { signal } = newController(),
  ): Promise<string>[] {
    const batch = pool.forJob(share, signal);
    return Array.from({ length: count }, async (_, n) => {
      const hash = await batch.hash(`password ${n}`);
      done.push(`${share}:${n}`);
      return hash;
    });
  }

  it('are never refused because of a long queue', async () => {
    const pool = open({ maxWaitSeconds: 0.1 });
    const busy = ask(pool, 'a', 40);
    await expect(ask(pool, 'a', 2)).rejects.toBeInstanceOf(ApiError);
    const hashes = await Promise.all(askAsJob(pool, 'a', 3, []));
    expect(await verify(hashes[2] ?? '', 'password 2')).toBe(true);
    await busy;
  });

  it.each([1, 2])(
    'are in the queue at most four per thread at once, with %d threads',
    async (concurrency) => {
      const pool = open({ concurrency });
      const most = concurrency * 4;
      const done: string[] = [];
      const all = Promise.all(askAsJob(pool, 'job', 30, done));
      let longest = 0;
      while (done.length < 30) {
        longest = Math.max(longest, pool.scheduler.running + pool.scheduler.waiting('bulk'));
        await turn();
      }
      await all;
      expect(longest).toBe(most);
      expect(new Set(done).size).toBe(30);
      expect([pool.scheduler.running, pool.scheduler.waiting('bulk')]).toEqual([0, 0]);
    },
  );

  it('do not delay a call of the same share until their end', async () => {
    const pool = open();
    const done: string[] = [];
    const job = askAsJob(pool, 'erp', 40, done);
    await ask(pool, 'erp', 2, done);
    expect(done.length).toBeLessThanOrEqual(8);
    await Promise.all(job);
    expect(done).toHaveLength(42);
  });

  it('are not hashed any more after the job is aborted, which leaves the pool usable', async () => {
    const pool = open();
    const done: string[] = [];
    const controller = newController();
    const job = askAsJob(pool, 'job', 30, done, controller);
    await job[0];
    controller.abort();
    const ends = await Promise.allSettled(job);
    const aborted = ends.filter((end) => end.status === 'rejected');
    expect(aborted.length).toBeGreaterThanOrEqual(24);
    expect(aborted.length + done.length).toBe(30);
    for (const end of aborted) expect(end.reason).toBeInstanceOf(Aborted);
    await turn();
    expect([pool.scheduler.running, pool.scheduler.waiting('bulk')]).toEqual([0, 0]);
    await ask(pool, 'job', 2, done);
  });
});

describe('the estimated hash time', () => {
  it('is 0 for no passwords, for any length of the queue', async () => {
    const pool = open();
    const busy = ask(pool, 'a', 5);
    expect(pool.estimateSeconds('a', 0)).toBe(0);
    await busy;
  });

  it('is the number of passwords divided by the capacity if the queue is empty', () => {
    const pool = open({ concurrency: 2 });
    expect(pool.estimateSeconds('a', 50)).toBeCloseTo(50 / pool.scheduler.capacity, 10);
    expect(pool.scheduler.waiting('bulk')).toBe(0);
  });

  it('includes the whole queue of its own share, and of another share only what is served before it', async () => {
    const pool = open();
    const busy = [ask(pool, 'a', 20), askOneByOne(pool, 'person', 2)];
    expect(pool.estimateSeconds('a', 5) * pool.scheduler.capacity).toBeCloseTo(20 + 2 + 5, 6);
    expect(pool.estimateSeconds('b', 5) * pool.scheduler.capacity).toBeCloseTo(5 + 2 + 5, 6);
    await Promise.all(busy);
    expect(pool.estimateSeconds('a', 5) * pool.scheduler.capacity).toBeCloseTo(5, 6);
  });

  it('is based on the last trial hashes after a calibration, which reports no hashes', async () => {
    const reported: Lane[] = [];
    const runs = vi.spyOn(HashThread.prototype, 'run');
    const pool = open({ concurrency: 2, onHash: (lane) => reported.push(lane) });
    await pool.calibrate();
    const [, , one = 0, other = 0] = await Promise.all(
      runs.mock.results.map(async ({ value }) => (await value).seconds as number),
    );
    expect(runs).toHaveBeenCalledTimes(4);
    expect(pool.estimateSeconds('a', 10)).toBeCloseTo((10 / 2) * ((one + other) / 2), 10);
    expect([reported, pool.scheduler.running, pool.scheduler.waiting('bulk')]).toEqual([[], 0, 0]);
  });
});
