import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BAR, longestStall, medianTurn, read, wholeBody } from './reading.ts';

describe('the event loop', () => {
  it('reads a small body without a turn of the event loop', async () => {
    let turned = false;
    const turn = setImmediate().then(() => {
      turned = true;
    });
    await read(wholeBody(400));
    expect(turned).toBe(false);
    await turn;
  });

  it('lets others work while it reads a body of 15 MB', async () => {
    const body = wholeBody(110_000);
    expect(body.length).toBeGreaterThan(14_900_000);
    let value: unknown;
    const stall = await longestStall(async () => {
      value = await read(body);
    });
    expect(JSON.stringify(value) === body.toString()).toBe(true);
    expect(stall).toBeLessThan(BAR);
  });

  it('gives one slice of each turn to several large bodies together, not to each', async () => {
    const body = wholeBody(20_000);
    const median = await medianTurn(() => Promise.all(Array.from({ length: 8 }, () => read(body))));
    expect(median).toBeLessThan(20);
  });

  it.each([
    ['one password of 30 MB', '"', 'x', '"'],
    ['30 MB of letters that take two bytes', '"', 'é', '"'],
    ['30 MB of escapes', '"', '\\u00e9', '"'],
    ['30 MB of white space', '[', ' ', ']'],
  ])('lets others work while it reads %s', async (_, head, filling, tail) => {
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(30_000_000, filling), Buffer.from(tail)]);
    expect(await longestStall(() => read(bytes))).toBeLessThan(BAR);
  });
});
