import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { verify } from '@node-rs/argon2';
import { afterEach, describe, expect, it } from 'vitest';
import { type HashEngine, hashInProcesses } from '../../src/passwords/hash-processes.ts';

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
let engine: HashEngine | undefined;

afterEach(() => engine?.close());

/** The processes of this one that hash. */
function hashProcesses(): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, parent, ...args]) => Number(parent) === process.pid && args.join(' ').includes('hash-process'),
    )
    .map(([pid]) => Number(pid));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

describe('hashing in processes', () => {
  it('gives hashes that verify, each with a salt of its own, whatever the password holds', async () => {
    engine = hashInProcesses(2, cost);
    const passwords = ['una frase lunga', 'una frase lunga', 'perché "no"? \\ \u2028 🙂', 'x'.repeat(128)];
    const hashes = await Promise.all(passwords.map((password) => engine?.hash(password) ?? ''));
    for (const [at, hash] of hashes.entries()) {
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(await verify(hash, passwords[at] ?? '')).toBe(true);
    }
    expect(new Set(hashes).size).toBe(4);
  });

  it('uses as many processes as it is told, which end when it is closed', async () => {
    engine = hashInProcesses(3, cost);
    await engine.hash('a password');
    expect(hashProcesses()).toHaveLength(3);
    engine.close();
    await until(() => hashProcesses().length === 0);
  });

  it('loses no password when a process dies, and has it back after a while', async () => {
    engine = hashInProcesses(2, cost);
    await engine.hash('a password');
    const before = hashProcesses();
    const hashes = Array.from({ length: 20 }, (_, n) => engine?.hash(`password ${n}`) ?? '');
    for (const pid of before) process.kill(pid, 'SIGKILL');
    for (const [n, hash] of (await Promise.all(hashes)).entries())
      expect(await verify(hash, `password ${n}`)).toBe(true);
    await until(() => hashProcesses().filter((pid) => !before.includes(pid)).length === 2);
    expect(await verify(await engine.hash('again'), 'again')).toBe(true);
  });

  it('does not end on the signals that are meant for the service', async () => {
    engine = hashInProcesses(1, cost);
    await engine.hash('a password');
    const [pid = 0] = hashProcesses();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    await engine.hash('another password');
    expect(hashProcesses()).toEqual([pid]);
  });

  it('has no password in the arguments of a process', async () => {
    engine = hashInProcesses(1, cost);
    const hashing = engine.hash('the-secret-sentence');
    const seen = execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });
    await hashing;
    expect(seen).toContain('hash-process');
    expect(seen).not.toContain('the-secret-sentence');
  });
});
