import { describe, expect, it } from 'vitest';
import { inUnits } from '../../src/cli/output/format.ts';
import { LiveLine, Pace, type Progress } from '../../src/cli/output/live-line.ts';

describe('the pace', () => {
  it('is null before anything is done', () => {
    const pace = new Pace();
    pace.note(0, 0);
    expect(pace.perSecond).toBeNull();
    pace.note(0, 1000);
    expect([pace.perSecond, pace.secondsFor(10)]).toEqual([null, null]);
  });

  it('is measured over the last seconds only', () => {
    const pace = new Pace();
    for (let second = 0; second <= 60; second++) pace.note(second, second * 1000);
    expect(pace.perSecond).toBeCloseTo(1);
    for (let second = 61; second <= 90; second++) pace.note(60 + (second - 60) * 100, second * 1000);
    expect(pace.perSecond).toBeCloseTo(100);
    expect(pace.secondsFor(500)).toBeCloseTo(5);
  });
});

describe('a live line', () => {
  const colour = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

  /** Returns the text that a live line writes, without colour codes, which take no columns. */
  function written(
    isTTY: boolean,
    columns: number,
    updates: readonly Partial<Progress>[],
    end?: { keeping: boolean; last?: Progress },
  ): string {
    let text = '';
    const stream = { isTTY, columns, write: (piece: string) => (text += piece) };
    const line = new LiveLine(stream as unknown as NodeJS.WriteStream);
    for (const update of updates)
      line.show({ state: 'running', done: 0, total: 1000, unit: 'users', failed: 0, ...update });
    line.end(end);
    return text.replace(colour, '');
  }

  it('is overwritten on a terminal and erased at the end', () => {
    const pieces = written(true, 100, [{ done: 0 }, { done: 500, failed: 2 }]).split('\r\u001b[K');
    expect(pieces[1]).toBe(`running  ${'░'.repeat(24)}  0 of 1,000 users`);
    expect(pieces[2]).toMatch(
      /^running {2}█{12}░{12} {2}500 of 1,000 users {2}2 failed {2}[\d,]+\/s {2}\d+ s left$/,
    );
    expect(pieces.slice(3)).toEqual(['']);
  });

  it('is always narrower than the terminal, so that it does not wrap', () => {
    for (const columns of [100, 60, 40, 30, 20, 10]) {
      for (const piece of written(true, columns, [{ done: 500 }, { done: 600 }]).split('\r\u001b[K'))
        expect(piece.length).toBeLessThan(columns);
    }
  });

  it('is printed as occasional plain lines if the output is not a terminal', () => {
    const text = written(false, 0, [
      { done: 1 },
      { done: 2 },
      { done: 3 },
      { done: 1000, state: 'completed' },
    ]);
    expect(text).toMatch(/^running {2}1 of 1,000 users\ncompleted {2}1,000 of 1,000 users {2}[\d,]+\/s\n$/);
  });

  it('stays on the screen with keeping, and marks an estimated total with "about"', () => {
    const text = written(true, 100, [{ done: 500, guessed: true }], { keeping: true });
    expect(text).toBe(`\r\u001b[Krunning  ${'█'.repeat(12)}${'░'.repeat(12)}  500 of about 1,000 users\n`);
  });

  it('ends with the last progress on a terminal, even if that was never shown', () => {
    const last = { state: 'running', done: 1000, total: 1000, unit: 'users', failed: 3 };
    const text = written(true, 100, [{ done: 0 }], { keeping: true, last });
    expect(text).toMatch(/running {2}█{24} {2}1,000 of 1,000 users {2}3 failed {2}[\d,]+\/s\n$/);
    expect(written(false, 0, [{ done: 1 }], { keeping: true, last })).toBe('running  1 of 1,000 users\n');
  });

  it('has the unit in the singular for one', () => {
    expect(written(false, 0, [{ done: 1, total: 1 }])).toBe('running  1 of 1 user\n');
    expect(written(false, 0, [{ done: 1, total: null }])).toBe('running  1 user\n');
  });

  it('has no plain line before the first unit of an unknown total', () => {
    expect(written(false, 0, [{ done: 0, total: null }])).toBe('');
  });

  it('has no bar if the total is unknown', () => {
    expect(written(true, 100, [{ done: 7, total: null }])).toBe('\r\u001b[Krunning  7 users\r\u001b[K');
  });
});

it('durations are shown in their two largest units', () => {
  expect([0.2, 59, 61, 3600, 90_000].map(inUnits)).toEqual([
    '1 s',
    '59 s',
    '1 min 1 s',
    '1 h 0 min',
    '1 d 1 h',
  ]);
});
