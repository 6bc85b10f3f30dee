import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Scanner } from '../../src/json/scanner.ts';
import { Validator } from '../../src/json/validator.ts';
import { read, refusal, wholeBody } from './reading.ts';

const size = 400_000;

const filled = (head: string, filling: string, tail: string) =>
  Buffer.from(head + filling.repeat(size / Buffer.byteLength(filling)) + tail);

const bodies: [string, Buffer][] = [
  ['users', wholeBody(3_000)],
  ['one long password', filled('"', 'x', '"')],
  ['letters that take two bytes', filled('"', 'é', '"')],
  ['escapes', filled('"', '\\u00e9', '"')],
  ['white space', filled('[', ' ', ']')],
  ['numbers', filled('[', '123456789012,', '1]')],
  ['empty objects', filled('[', '{},', '1]')],
  ['nulls', filled('[', 'null,', '1]')],
];

afterEach(() => {
  vi.restoreAllMocks();
});

/** Mocks `performance.now` so that each read advances the clock by `byMs`. `reads` is the number of reads so far. */
function clockThatMoves(byMs: number): { reads: number } {
  const clock = { reads: 0 };
  vi.spyOn(performance, 'now').mockImplementation(() => ++clock.reads * byMs);
  return clock;
}

/** Runs the work, and returns the number of clock reads in each turn of the event loop until it ends. */
async function readsPerTurn(clock: { reads: number }, work: () => Promise<unknown>): Promise<number[]> {
  const turns: number[] = [];
  let working = true;
  const done = work().finally(() => {
    working = false;
  });
  done.catch(() => undefined);
  let before = clock.reads;
  while (working) {
    await nextTurn();
    turns.push(clock.reads - before);
    before = clock.reads;
  }
  await done;
  return turns;
}

describe('the JSON reader', () => {
  it('reads a small body in one turn of the event loop', async () => {
    let turned = false;
    const turn = nextTurn().then(() => {
      turned = true;
    });
    await read(wholeBody(400));
    expect(turned).toBe(false);
    await turn;
  });

  it.each(bodies)('reads the clock at least every 20 kB of %s', (_, body) => {
    const scanner = new Scanner(body, 0, 10_000);
    const validator = new Validator(scanner, 100, 4_000_000);
    const offsets = [0];
    for (const _ of validator.steps()) offsets.push(scanner.at);
    expect(scanner.at).toBe(body.length);
    const lengths = offsets.map((offset, at) => (offsets[at + 1] ?? body.length) - offset);
    expect(Math.max(...lengths)).toBeLessThan(20_000);
  });

  it.each(bodies)('yields to the event loop at the end of its time slice for %s', async (_, body) => {
    const clock = clockThatMoves(1_000);
    let value: unknown;
    const turns = await readsPerTurn(clock, async () => {
      value = await read(body);
    });
    expect(turns.length).toBeGreaterThan(body.length / 20_000);
    // The first read starts a time slice, and the second one ends it.
    expect(Math.max(...turns)).toBe(2);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(body.toString())));
  });

  it('yields to the event loop while it searches for invalid UTF-8 and computes the offset', async () => {
    const body = Buffer.concat([wholeBody(3_000), Buffer.of(0xff)]);
    const pieces = Math.floor(body.length / 262_144);
    const turns = await readsPerTurn(clockThatMoves(1_000), async () => {
      expect(await refusal(body)).toMatchObject({ problem: 'utf8', offset: body.length - 1 });
    });
    expect(turns.length).toBeGreaterThanOrEqual(2 * pieces);
    expect(Math.max(...turns)).toBe(2);
  });

  it.each([1, 8])(
    'uses at most two time slices of 1 ms per turn for %d large bodies together',
    async (count) => {
      const body = wholeBody(3_000);
      const turns = await readsPerTurn(clockThatMoves(0.25), () =>
        Promise.all(Array.from({ length: count }, () => read(body))),
      );
      // Each read advances the clock by 0.25 ms: one read starts the slice, and the fourth one after it ends the 1 ms.
      // Two bodies are read in a turn only while one of them counts as a short task.
      expect(Math.max(...turns)).toBeLessThanOrEqual(count === 1 ? 5 : 10);
      expect(turns.filter((reads) => reads === 5).length).toBeGreaterThan(turns.length * 0.9);
    },
  );
});

describe('reading a large body', () => {
  it('ends when the signal is aborted, which happens when its sender has disconnected', async () => {
    const disconnected = new AbortController();
    const body = wholeBody(3_000);
    const reading = read(body, { maxDepth: 100, signal: disconnected.signal });
    disconnected.abort(new Error('the caller has disconnected'));
    await expect(reading).rejects.toThrow('the caller has disconnected');
    await expect(read(body, { maxDepth: 100, signal: new AbortController().signal })).resolves.toBeDefined();
  });
});
