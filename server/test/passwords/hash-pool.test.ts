import { setImmediate as turn } from 'node:timers/promises';
import { verify } from '@node-rs/argon2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/lib/field-errors.ts';
import type { Lane } from '../../src/passwords/fair-queue.ts';
import { Aborted, type HasherOptions, type HashingPool, openHasher } from '../../src/passwords/hash-pool.ts';
import type { HashReservation } from '../../src/passwords/hash-reservation.ts';
import { HashThread } from '../../src/passwords/hash-thread.ts';

const pools: HashingPool[] = [];

/** Opens a pool with a low cost, unless the options set one. `afterEach` closes it. */
function open(options: Partial<HasherOptions> = {}): HashingPool {
  const pool = openHasher({ concurrency: 1, memoryKib: 1024, passes: 1, maxWaitSeconds: 600, ...options });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** Requests `count` hashes concurrently. `done` receives their names in the order of completion. */
function ask(pool: HashingPool, lane: Lane, share: string, count: number, done: string[]): Promise<unknown> {
  const batch = pool.admit({ lane, share, count });
  const hashes = Array.from({ length: count }, (_, n) =>
    batch.hash(`password ${n}`).then(() => done.push(`${share}:${n}`)),
  );
  return Promise.all(hashes);
}

describe('a hash of the pool', () => {
  it('is argon2id in PHC string format, with the configured cost', async () => {
    const batch = open({ memoryKib: 19_456, passes: 2 }).admit({ lane: 'interactive', share: 'a', count: 1 });
    const hash = await batch.hash('correct horse battery');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/);
    const costly = open({ memoryKib: 24_576, passes: 3 }).admit({ lane: 'bulk', share: 'a', count: 1 });
    expect(await costly.hash('correct horse battery')).toContain('$m=24576,t=3,p=1$');
  });

  it('verifies only its own password, and has a unique salt', async () => {
    const batch = open().admit({ lane: 'bulk', share: 'a', count: 4 });
    for (const password of ['correct horse battery', 'pässwörd 🐎 ΑΒΓ', 'x'.repeat(128)]) {
      const [one = '', other = ''] = await Promise.all([batch.hash(password), batch.hash(password)]);
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
    const watch = () => {
      most = Math.max(most, pool.running);
    };
    let finished = false;
    const all = Promise.all([
      ask(pool, 'bulk', 'a', 12, []),
      ask(pool, 'interactive', 'b', 6, []),
      ask(pool, 'bulk', 'c', 6, []),
    ]).finally(() => {
      finished = true;
    });
    expect(pool.running).toBe(concurrency);
    expect(pool.waiting('bulk') + pool.waiting('interactive')).toBe(24 - concurrency);
    while (!finished) {
      watch();
      await turn();
    }
    await all;
    expect(most).toBe(concurrency);
    expect([pool.running, pool.waiting('bulk'), pool.waiting('interactive')]).toEqual([0, 0, 0]);
  });

  it('hashes an interactive password after at most one of an earlier bulk call', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([ask(pool, 'bulk', 'erp', 20, done), ask(pool, 'interactive', 'mario', 1, done)]);
    expect(done.indexOf('mario:0')).toBeLessThanOrEqual(1);
    expect(done.filter((name) => name !== 'mario:0')).toEqual(
      Array.from({ length: 20 }, (_, n) => `erp:${n}`),
    );
  });

  it('hashes a bulk password after at most 16 interactive ones', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([ask(pool, 'interactive', 'people', 40, done), ask(pool, 'bulk', 'erp', 2, done)]);
    expect(done.indexOf('erp:0')).toBeLessThanOrEqual(16);
    expect(done.indexOf('erp:1')).toBeLessThanOrEqual(33);
  });

  it('serves bulk callers in round-robin order', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([ask(pool, 'bulk', 'a', 4, done), ask(pool, 'bulk', 'b', 2, done)]);
    // The first password of `a` is being hashed when `b` arrives.
    expect(done).toEqual(['a:0', 'a:1', 'b:0', 'a:2', 'b:1', 'a:3']);
  });

  it('reports the duration and the lane of each hash', async () => {
    const reported: [Lane, number][] = [];
    const pool = open({ concurrency: 2, onHash: (lane, seconds) => reported.push([lane, seconds]) });
    await Promise.all([ask(pool, 'bulk', 'a', 20, []), ask(pool, 'interactive', 'b', 2, [])]);
    expect(reported.filter(([lane]) => lane === 'bulk')).toHaveLength(20);
    expect(reported.filter(([lane]) => lane === 'interactive')).toHaveLength(2);
    expect(reported.filter(([, seconds]) => !(seconds > 0))).toEqual([]);
  });

  it('adapts its capacity to the time for which a hash occupies a thread, its delays included', async () => {
    let clock = 0;
    const pool = open({ now: () => clock });
    const { hash } = pool.admit({ lane: 'bulk', share: 'a', count: 1 });
    const before = 1 / pool.capacity;
    const hashed = hash('a password');
    clock += 3_600_000;
    await hashed;
    expect(1 / pool.capacity).toBeCloseTo(before + (3600 - before) * 0.05, 6);
  });

  it('adapts its capacity to verifications of argon2 hashes, and to no other ones', async () => {
    let clock = 0;
    const pool = open({ now: () => clock });
    const stored = await pool.calibrate();
    const [salt, key] = [16, 64].map((bytes) => Buffer.alloc(bytes, 1).toString('base64').replace(/=+$/, ''));
    const verifyFor = async (hash: string) => {
      const verified = pool.verify('a guess', hash, { known: false, source: '10.0.0.1' });
      clock += 3_600_000;
      await verified;
    };
    const before = pool.capacity;
    await verifyFor(`$pbkdf2-sha512$i=1000$${salt}$${key}`);
    expect(pool.capacity).toBe(before);
    await verifyFor(stored);
    expect(1 / pool.capacity).toBeCloseTo(1 / before + (3600 - 1 / before) * 0.05, 6);
  });

  it('continues after a failed hash', async () => {
    const pool = open({ memoryKib: 1 });
    const batch = pool.admit({ lane: 'bulk', share: 'a', count: 3 });
    const hashes = ['one', 'two', 'three'].map((word) => batch.hash(`${word} password`));
    const ends = await Promise.allSettled(hashes);
    expect(ends.map((end) => end.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await turn();
    expect([pool.running, pool.waiting('bulk')]).toEqual([0, 0]);
  });
});

describe('a hash queue that is too long', () => {
  const errorOf = (admit: () => unknown) => {
    try {
      admit();
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('causes an ApiError with the time to wait', async () => {
    const pool = open({ maxWaitSeconds: 0.2, random: () => 0 });
    const busy = ask(pool, 'bulk', 'a', 60, []);
    const error = errorOf(() => pool.admit({ lane: 'bulk', share: 'a', count: 1 })) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    // One password is being hashed and 59 are queued.
    const seconds = Math.ceil(60 / pool.capacity);
    expect(error.detail).toEqual({ code: 'OVERLOADED', figures: { seconds } });
    expect(error.retryAfterSeconds).toBe(seconds);
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    await busy;
    await ask(pool, 'bulk', 'a', 1, []);
  });

  it('causes a random time to wait, up to twice the estimate', async () => {
    const part = { value: 0 };
    const pool = open({ maxWaitSeconds: 0.2, random: () => part.value });
    const busy = ask(pool, 'bulk', 'a', 2000, []);
    const secondsAt = (value: number) => {
      part.value = value;
      return (errorOf(() => pool.admit({ lane: 'bulk', share: 'a', count: 1 })) as ApiError)
        .retryAfterSeconds;
    };
    const estimate = 2000 / pool.capacity;
    expect([0, 0.5, 1].map(secondsAt)).toEqual([1, 1.5, 2].map((factor) => Math.ceil(estimate * factor)));
    const ended = expect(busy).rejects.toBeInstanceOf(Aborted);
    await pool.close();
    await ended;
  });

  it('includes the time that the call has already waited', async () => {
    const pool = open({ maxWaitSeconds: 1000, now: () => 5_000_000 });
    const busy = ask(pool, 'interactive', 'a', 4, []);
    const admit = (since?: number) => {
      const call = pool.reserve('a', since);
      const error = errorOf(() => call.admit({ lane: 'interactive', count: 1 }));
      call.release();
      return error;
    };
    expect(admit()).toBeUndefined();
    expect(admit(5_000_000 - 800_000)).toBeUndefined();
    expect(admit(5_000_000 - 950_000)).toBeInstanceOf(ApiError);
    await busy;
  });

  it('is measured by the work that the call itself has to wait for', async () => {
    const pool = open({ maxWaitSeconds: 0.2 });
    const busy = ask(pool, 'bulk', 'a', 60, []);
    const done: string[] = [];
    const others = [
      ask(pool, 'interactive', 'mario', 1, done),
      ask(pool, 'bulk', 'small', 1, done),
      ask(pool, 'bulk', 'none', 0, done),
    ];
    expect(errorOf(() => pool.admit({ lane: 'bulk', share: 'other', count: 60 }))).toBeInstanceOf(ApiError);
    expect(errorOf(() => pool.admit({ lane: 'bulk', share: 'a', count: 0 }))).toBeUndefined();
    await Promise.all(others);
    expect(pool.waiting('bulk')).toBeGreaterThan(40);
    expect(done).toEqual(['mario:0', 'small:0']);
    await busy;
  });

  it('does not include the passwords of the call itself, however large it is', () => {
    const pool = open({ maxWaitSeconds: 0.2 });
    expect(errorOf(() => pool.admit({ lane: 'bulk', share: 'a', count: 100_000 }))).toBeUndefined();
  });
});

describe('the reservation of a call', () => {
  const one = { lane: 'interactive', count: 1 } as const;

  /** Makes reservations with one password each until the first refusal. */
  function reserveAll(pool: HashingPool, share: string): HashReservation[] {
    const admitted: HashReservation[] = [];
    for (;;) {
      const reservation = pool.reserve(share);
      try {
        reservation.admit(one);
      } catch (error) {
        expect((error as ApiError).detail.code).toBe('OVERLOADED');
        return admitted;
      }
      admitted.push(reservation);
    }
  }

  it('counts as queued work before its passwords are queued, until it is released', () => {
    const pool = open({ maxWaitSeconds: 2 });
    const admitted = reserveAll(pool, 'a');
    // The pool assumes 50 hashes per second before it has measured one, and leaves a tenth of the time to the call.
    expect(admitted).toHaveLength(90);
    expect([pool.running, pool.waiting('interactive')]).toEqual([0, 0]);
    expect(() => pool.admit({ ...one, share: 'a' })).toThrow(ApiError);
    for (const reservation of admitted) reservation.release();
    for (const reservation of admitted) reservation.release();
    expect(reserveAll(pool, 'a')).toHaveLength(90);
  });

  it('does not refuse calls of another share', () => {
    const pool = open({ maxWaitSeconds: 2 });
    reserveAll(pool, 'a');
    expect(reserveAll(pool, 'b').length).toBeGreaterThan(40);
  });

  it('becomes a queued password, which keeps its place', async () => {
    const pool = open({ maxWaitSeconds: 2 });
    const [first, ...others] = reserveAll(pool, 'a');
    const hashed = first?.hash('a password');
    expect(pool.running).toBe(1);
    expect(reserveAll(pool, 'a')).toHaveLength(0);
    expect(await verify((await hashed) ?? '', 'a password')).toBe(true);
    for (const reservation of others) reservation.release();
    expect(pool.estimateSeconds('a', 1) * pool.capacity).toBeCloseTo(1, 6);
  });

  it('is not refused when it is confirmed or reduced, and is given up when more passwords are refused', () => {
    const pool = open({ maxWaitSeconds: 2 });
    const large = pool.reserve('a');
    large.admit({ lane: 'bulk', count: 500 });
    const [last] = reserveAll(pool, 'a').slice(-1);
    last?.admit(one);
    large.admit({ lane: 'bulk', count: 400 });
    expect(pool.estimateSeconds('a', 1) * pool.capacity).toBeCloseTo(400 + 90 + 1, 6);
    const more = pool.reserve('a');
    expect(() => more.admit({ lane: 'bulk', count: 2 })).toThrow(ApiError);
    large.admit({ lane: 'interactive', count: 1 });
    expect(pool.estimateSeconds('a', 1) * pool.capacity).toBeCloseTo(90 + 1 + 1, 6);
    expect(() => large.admit({ lane: 'interactive', count: 2 })).toThrow(ApiError);
    expect(pool.estimateSeconds('a', 1) * pool.capacity).toBeCloseTo(90 + 1, 6);
  });
});

describe('the verification of costly imported hashes', () => {
  const salt = Buffer.alloc(16, 1).toString('base64').replace(/=+$/, '');
  const key = Buffer.alloc(64, 1).toString('base64').replace(/=+$/, '');
  /** A hash whose verification takes about 40 times as long as a hash of the pool. */
  const costly = `$pbkdf2-sha512$i=40000$${salt}$${key}`;
  const swift = `$pbkdf2-sha512$i=1000$${salt}$${key}`;

  function verifyAll(pool: HashingPool, name: string, hash: string, count: number, done: string[]) {
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
    pool: HashingPool,
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

describe('work with an abort signal', () => {
  const newController = () => new AbortController();

  /** Requests hashes that can be aborted. `done` receives their names in the order of completion. */
  function askPatiently(
    pool: HashingPool,
    share: string,
    count: number,
    done: string[],
    { signal } = newController(),
  ): Promise<string>[] {
    const batch = pool.admit({ lane: 'bulk', share, count, signal: signal });
    return Array.from({ length: count }, async (_, n) => {
      const hash = await batch.hash(`password ${n}`);
      done.push(`${share}:${n}`);
      return hash;
    });
  }

  it('is never refused because of a long queue', async () => {
    const pool = open({ maxWaitSeconds: 0.1 });
    const busy = ask(pool, 'bulk', 'a', 40, []);
    const refused = () => pool.admit({ lane: 'bulk', share: 'a', count: 1 });
    expect(refused).toThrow(ApiError);
    const hashes = await Promise.all(askPatiently(pool, 'a', 3, []));
    expect(await verify(hashes[2] ?? '', 'password 2')).toBe(true);
    await busy;
  });

  it.each([1, 2])(
    'has at most four passwords per thread in the queue, with %d threads',
    async (concurrency) => {
      const pool = open({ concurrency });
      const most = concurrency * 4;
      const done: string[] = [];
      const all = Promise.all(askPatiently(pool, 'job', 30, done));
      let longest = 0;
      while (done.length < 30) {
        longest = Math.max(longest, pool.running + pool.waiting('bulk'));
        await turn();
      }
      await all;
      expect(longest).toBe(most);
      expect(new Set(done).size).toBe(30);
      expect([pool.running, pool.waiting('bulk')]).toEqual([0, 0]);
    },
  );

  it('does not delay a call of the same share until its end', async () => {
    const pool = open();
    const done: string[] = [];
    const job = askPatiently(pool, 'erp', 40, done);
    await ask(pool, 'bulk', 'erp', 1, done);
    expect(done.length).toBeLessThanOrEqual(6);
    await Promise.all(job);
    expect(done).toHaveLength(41);
  });

  it('starts no other password after it is aborted, and leaves the pool usable', async () => {
    const pool = open();
    const done: string[] = [];
    const controller = newController();
    const job = askPatiently(pool, 'job', 30, done, controller);
    await job[0];
    controller.abort();
    const ends = await Promise.allSettled(job);
    const aborted = ends.filter((end) => end.status === 'rejected');
    expect(aborted.length).toBeGreaterThanOrEqual(24);
    expect(aborted.length + done.length).toBe(30);
    for (const end of aborted) expect(end.reason).toBeInstanceOf(Aborted);
    await turn();
    expect([pool.running, pool.waiting('bulk')]).toEqual([0, 0]);
    await ask(pool, 'bulk', 'job', 1, done);
  });
});

describe('the estimated hash time', () => {
  it('is 0 for no passwords, for any length of the queue', async () => {
    const pool = open();
    const busy = ask(pool, 'bulk', 'a', 5, []);
    expect(pool.estimateSeconds('a', 0)).toBe(0);
    await busy;
  });

  it('is the number of passwords divided by the capacity if the queue is empty', () => {
    const pool = open({ concurrency: 2 });
    expect(pool.estimateSeconds('a', 50)).toBeCloseTo(50 / pool.capacity, 10);
    expect(pool.waiting('bulk')).toBe(0);
  });

  it('includes the whole queue of its own share, and of another share only what is served before it', async () => {
    const pool = open();
    const busy = [ask(pool, 'bulk', 'a', 20, []), ask(pool, 'interactive', 'person', 2, [])];
    // One password is being hashed; 19 of the share and 2 interactive ones are queued.
    expect(pool.estimateSeconds('a', 5) * pool.capacity).toBeCloseTo(19 + 2 + 1 + 5, 6);
    expect(pool.estimateSeconds('b', 5) * pool.capacity).toBeCloseTo(5 + 2 + 1 + 5, 6);
    await Promise.all(busy);
    expect(pool.estimateSeconds('a', 5) * pool.capacity).toBeCloseTo(5, 6);
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
    expect([reported, pool.running, pool.waiting('bulk')]).toEqual([[], 0, 0]);
  });
});
