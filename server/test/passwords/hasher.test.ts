import { setImmediate as turn } from 'node:timers/promises';
import { verify } from '@node-rs/argon2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../../src/core/faults.ts';
import { BrokenOff, type Lane } from '../../src/core/records/hashing.ts';
import { HashThread } from '../../src/passwords/hash-thread.ts';
import { type HasherOptions, type HashingPool, openHasher } from '../../src/passwords/hasher.ts';

const pools: HashingPool[] = [];

/** Opens a pool for one test. Its cost is low; tests of the cost name theirs. */
function open(options: Partial<HasherOptions> = {}): HashingPool {
  const pool = openHasher({ concurrency: 1, memoryKib: 1024, passes: 1, maxWaitSeconds: 600, ...options });
  pools.push(pool);
  return pool;
}

/** Lets each hash report so many seconds, instead of computing it. */
function pretendSeconds(secondsOf: (n: number) => number): void {
  let hashes = 0;
  vi.spyOn(HashThread.prototype, 'ask').mockImplementation(async () => ({
    result: 'no hash',
    seconds: secondsOf(hashes++),
  }));
}

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** Asks for some hashes at once and notes in `done` when each is ready. */
function ask(pool: HashingPool, lane: Lane, share: string, count: number, done: string[]): Promise<unknown> {
  const batch = pool.admit({ lane, share, count });
  const hashes = Array.from({ length: count }, (_, n) =>
    batch.hash(`password ${n}`).then(() => done.push(`${share}:${n}`)),
  );
  return Promise.all(hashes);
}

describe('a hash', () => {
  it('is argon2id in the PHC form, with the cost that was set', async () => {
    const batch = open({ memoryKib: 19_456, passes: 2 }).admit({ lane: 'interactive', share: 'a', count: 1 });
    const hash = await batch.hash('correct horse battery');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/);
    const costly = open({ memoryKib: 24_576, passes: 3 }).admit({ lane: 'bulk', share: 'a', count: 1 });
    expect(await costly.hash('correct horse battery')).toContain('$m=24576,t=3,p=1$');
  });

  it('is that of the password and of no other, and has a salt of its own', async () => {
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

describe('the pool', () => {
  it.each([1, 2, 3])('has up to %d hashes in flight and never more', async (concurrency) => {
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

  it('serves a single password after at most one of a bulk that came earlier', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([ask(pool, 'bulk', 'erp', 20, done), ask(pool, 'interactive', 'mario', 1, done)]);
    expect(done.indexOf('mario:0')).toBeLessThanOrEqual(1);
    expect(done.filter((name) => name !== 'mario:0')).toEqual(
      Array.from({ length: 20 }, (_, n) => `erp:${n}`),
    );
  });

  it('gives a bulk its turn after sixteen single passwords at the latest', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([ask(pool, 'interactive', 'people', 40, done), ask(pool, 'bulk', 'erp', 2, done)]);
    expect(done.indexOf('erp:0')).toBeLessThanOrEqual(16);
    expect(done.indexOf('erp:1')).toBeLessThanOrEqual(33);
  });

  it('serves bulk callers in turn', async () => {
    const pool = open();
    const done: string[] = [];
    await Promise.all([ask(pool, 'bulk', 'a', 4, done), ask(pool, 'bulk', 'b', 2, done)]);
    // A thread has the next one in hand when others come.
    expect(done).toEqual(['a:0', 'a:1', 'a:2', 'b:0', 'a:3', 'b:1']);
  });

  it('tells how long each hash took, and in which lane', async () => {
    const told: [Lane, number][] = [];
    const pool = open({ concurrency: 2, onHash: (lane, seconds) => told.push([lane, seconds]) });
    await Promise.all([ask(pool, 'bulk', 'a', 20, []), ask(pool, 'interactive', 'b', 2, [])]);
    expect(told.filter(([lane]) => lane === 'bulk')).toHaveLength(20);
    expect(told.filter(([lane]) => lane === 'interactive')).toHaveLength(2);
    expect(told.filter(([, seconds]) => !(seconds > 0))).toEqual([]);
  });

  it('estimates less with every hash that takes longer than it thought, but no less than the slowest', async () => {
    const slowest = 0.9;
    pretendSeconds((n) => slowest - n / 10);
    const estimates: number[] = [];
    const pool = open({ concurrency: 2, onHash: () => estimates.push(pool.capacity) });
    estimates.push(pool.capacity);
    await ask(pool, 'bulk', 'a', 6, []);
    expect(estimates).toEqual(estimates.toSorted((one, other) => other - one));
    expect(new Set(estimates).size).toBe(7);
    expect(pool.capacity).toBeGreaterThan(2 / slowest);
  });

  it('estimates more where hashes take less than it thought, but no more than the fastest', async () => {
    const fastest = 0.001;
    pretendSeconds((n) => fastest * (1 + (n % 3)));
    const pool = open();
    const before = pool.capacity;
    await ask(pool, 'bulk', 'a', 200, []);
    expect(pool.capacity).toBeGreaterThan(before);
    expect(pool.capacity).toBeLessThan(1 / fastest);
  });

  it('goes on after a hash that failed', async () => {
    const pool = open({ memoryKib: 1 });
    const batch = pool.admit({ lane: 'bulk', share: 'a', count: 3 });
    const hashes = ['one', 'two', 'three'].map((word) => batch.hash(`${word} password`));
    const ends = await Promise.allSettled(hashes);
    expect(ends.map((end) => end.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await turn();
    expect([pool.running, pool.waiting('bulk')]).toEqual([0, 0]);
  });
});

describe('a queue that is too long', () => {
  const refusalOf = (admit: () => unknown) => {
    try {
      admit();
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('is a refusal that says how long it is', async () => {
    const pool = open({ maxWaitSeconds: 0.2 });
    const busy = ask(pool, 'bulk', 'a', 60, []);
    const refusal = refusalOf(() => pool.admit({ lane: 'bulk', share: 'a', count: 1 })) as Refusal;
    expect(refusal).toBeInstanceOf(Refusal);
    const seconds = Math.ceil(59 / pool.capacity);
    expect(refusal.fault).toEqual({ code: 'OVERLOADED', figures: { seconds } });
    expect(refusal.retryAfterSeconds).toBe(seconds);
    expect(refusal.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    await busy;
    await ask(pool, 'bulk', 'a', 1, []);
  });

  it('is only that which the call itself would wait for', async () => {
    const pool = open({ maxWaitSeconds: 0.2 });
    const busy = ask(pool, 'bulk', 'a', 60, []);
    const done: string[] = [];
    const others = [
      ask(pool, 'interactive', 'mario', 1, done),
      ask(pool, 'bulk', 'small', 1, done),
      ask(pool, 'bulk', 'none', 0, done),
    ];
    expect(refusalOf(() => pool.admit({ lane: 'bulk', share: 'other', count: 60 }))).toBeInstanceOf(Refusal);
    expect(refusalOf(() => pool.admit({ lane: 'bulk', share: 'a', count: 0 }))).toBeUndefined();
    await Promise.all(others);
    expect(pool.waiting('bulk')).toBeGreaterThan(40);
    expect(done).toEqual(['mario:0', 'small:0']);
    await busy;
  });

  it('does not refuse a large call that finds no one before it', () => {
    const pool = open({ maxWaitSeconds: 0.2 });
    expect(refusalOf(() => pool.admit({ lane: 'bulk', share: 'a', count: 100_000 }))).toBeUndefined();
  });
});

describe('verifying imported hashes that take long', () => {
  const salt = Buffer.alloc(16, 1).toString('base64').replace(/=+$/, '');
  const key = Buffer.alloc(64, 1).toString('base64').replace(/=+$/, '');
  /** Takes some 40 times as long as a hash of the pool. */
  const costly = `$pbkdf2-sha512$i=40000$${salt}$${key}`;
  const swift = `$pbkdf2-sha512$i=1000$${salt}$${key}`;

  function verifyAll(pool: HashingPool, name: string, hash: string, count: number, done: string[]) {
    return Array.from({ length: count }, async (_, n) => {
      await pool.verify('a password', hash, { known: false, source: '10.0.0.1' });
      done.push(`${name} ${n}`);
    });
  }

  it.each([1, 2, 3])('does not hold up all others, with %d in flight', async (concurrency) => {
    const pool = open({ concurrency });
    const done: string[] = [];
    await Promise.all([
      ...verifyAll(pool, 'costly', costly, 6, done),
      ...verifyAll(pool, 'swift', swift, 8, done),
    ]);
    expect(done).toHaveLength(14);
    // A thread that gets the next swift ones late goes on with a costly one.
    expect(done.indexOf('swift 7')).toBeLessThan(12);
  });

  it('is refused by what those before it take, while others are served', async () => {
    const pool = open({ maxWaitSeconds: 2 });
    const guesses = await Promise.allSettled([
      ...verifyAll(pool, 'costly', costly, 24, []),
      ...verifyAll(pool, 'swift', swift, 24, []),
    ]);
    const refused = guesses.filter((end) => end.status === 'rejected' && end.reason instanceof Refusal);
    // Each counts as 39 hashes, of which the pool takes itself to make 50 a second before it has made one.
    expect(refused).toHaveLength(24 - 3);
    expect(guesses.slice(24).every(({ status }) => status === 'fulfilled')).toBe(true);
  });
});

describe('a sign-in during a flood of guesses', () => {
  /** Starts 40 guesses and then one attempt; returns how many guesses were verified before the attempt. */
  async function guessesBefore(
    pool: HashingPool,
    guessSource: (n: number) => string,
    attempt: { known: boolean; source: string },
  ): Promise<number> {
    const hash = await pool.tryOut();
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

  // The thread has been given two guesses when the attempt comes, and one of the new sources may have the next turn.
  const ahead = 3;

  it('a sign-in does not wait for guesses from many addresses where its account has signed in before', async () => {
    const attempt = { known: true, source: '10.0.0.1' };
    expect(await guessesBefore(open(), (n) => `10.0.1.${n}`, attempt)).toBeLessThanOrEqual(ahead);
  });

  it('a sign-in does not wait for all guesses of another address where its account has never signed in', async () => {
    const attempt = { known: false, source: '10.0.0.1' };
    expect(await guessesBefore(open(), () => '10.0.1.1', attempt)).toBeLessThanOrEqual(ahead);
  });

  it('a sign-in is not refused because of the guesses of one other address', async () => {
    const pool = open({ maxWaitSeconds: 2 });
    const hash = await pool.tryOut();
    const guess = (source: string) => pool.verify('a guess', hash, { known: false, source });
    const guesses = Promise.allSettled(Array.from({ length: 20_000 }, () => guess('10.0.1.1')));
    await expect(guess('10.0.1.1')).rejects.toBeInstanceOf(Refusal);
    expect(await guess('10.0.0.1')).toBe(false);
    await guesses;
  });
});

describe('work that waits as long as it takes', () => {
  const breakOff = () => new AbortController();

  /** Asks for hashes that can be broken off, and notes in `done` when each is ready. */
  function askPatiently(
    pool: HashingPool,
    share: string,
    count: number,
    done: string[],
    { signal } = breakOff(),
  ): Promise<string>[] {
    const batch = pool.admit({ lane: 'bulk', share, count, breakOff: signal });
    return Array.from({ length: count }, async (_, n) => {
      const hash = await batch.hash(`password ${n}`);
      done.push(`${share}:${n}`);
      return hash;
    });
  }

  it('is never refused, and is done however long the queue is', async () => {
    const pool = open({ maxWaitSeconds: 0.1 });
    const busy = ask(pool, 'bulk', 'a', 40, []);
    const refused = () => pool.admit({ lane: 'bulk', share: 'a', count: 1 });
    expect(refused).toThrow(Refusal);
    const hashes = await Promise.all(askPatiently(pool, 'a', 3, []));
    expect(await verify(hashes[2] ?? '', 'password 2')).toBe(true);
    await busy;
  });

  it.each([1, 2])('has few passwords in the queue at a time, with %d in flight', async (concurrency) => {
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
  });

  it('lets a call of the same share through soon', async () => {
    const pool = open();
    const done: string[] = [];
    const job = askPatiently(pool, 'erp', 40, done);
    await ask(pool, 'bulk', 'erp', 1, done);
    expect(done.length).toBeLessThanOrEqual(6);
    await Promise.all(job);
    expect(done).toHaveLength(41);
  });

  it('begins no other password once it is told to break off, and leaves the pool in order', async () => {
    const pool = open();
    const done: string[] = [];
    const controller = breakOff();
    const job = askPatiently(pool, 'job', 30, done, controller);
    await job[0];
    controller.abort();
    const ends = await Promise.allSettled(job);
    const broken = ends.filter((end) => end.status === 'rejected');
    expect(broken.length).toBeGreaterThanOrEqual(24);
    expect(broken.length + done.length).toBe(30);
    for (const end of broken) expect(end.reason).toBeInstanceOf(BrokenOff);
    await turn();
    expect([pool.running, pool.waiting('bulk')]).toEqual([0, 0]);
    await ask(pool, 'bulk', 'job', 1, done);
  });
});

describe('the estimate of what passwords would take', () => {
  it('is nothing for none, however long the queue is', async () => {
    const pool = open();
    const busy = ask(pool, 'bulk', 'a', 5, []);
    expect(pool.estimateSeconds('a', 0)).toBe(0);
    await busy;
  });

  it('is what the pool can do where nobody is before them', () => {
    const pool = open({ concurrency: 2 });
    expect(pool.estimateSeconds('a', 50)).toBeCloseTo(50 / pool.capacity, 10);
    expect(pool.waiting('bulk')).toBe(0);
  });

  it('counts what is before them: all of the own share, and of another no more than its turns', async () => {
    const pool = open();
    const busy = [ask(pool, 'bulk', 'a', 20, []), ask(pool, 'interactive', 'person', 2, [])];
    // One is being hashed and one comes next; 18 of the share and 2 single ones wait.
    expect(pool.estimateSeconds('a', 5) * pool.capacity).toBeCloseTo(19 + 2 + 1 + 5, 6);
    expect(pool.estimateSeconds('b', 5) * pool.capacity).toBeCloseTo(5 + 2 + 1 + 1 + 5, 6);
    await Promise.all(busy);
    expect(pool.estimateSeconds('a', 5) * pool.capacity).toBeCloseTo(5, 6);
  });

  it('is what the last trial hashes took once the pool has been tried out, which is not reported', async () => {
    const reported: Lane[] = [];
    const seconds: number[] = [];
    const ask = HashThread.prototype.ask;
    vi.spyOn(HashThread.prototype, 'ask').mockImplementation(async function (this: HashThread, ...work) {
      const done = await ask.apply(this, work);
      seconds.push(done.seconds);
      return done;
    });
    const pool = open({ concurrency: 2, onHash: (lane) => reported.push(lane) });
    await pool.tryOut();
    const [, , one = 0, other = 0] = seconds;
    expect(seconds).toHaveLength(4);
    expect(pool.estimateSeconds('a', 10)).toBeCloseTo((10 / 2) * ((one + other) / 2), 10);
    expect([reported, pool.running, pool.waiting('bulk')]).toEqual([[], 0, 0]);
  });
});
