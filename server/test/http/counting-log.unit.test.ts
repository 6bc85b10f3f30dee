import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CountingLog } from '../../src/http/counting-log.ts';
import { type Rejection, rejectionLines } from '../../src/http/errors.ts';
import { openLog } from '../../src/lib/log.ts';

const overloaded: Rejection = { code: 'OVERLOADED', route: 'POST /irs/update', cause: undefined };

function open() {
  const lines: Record<string, unknown>[] = [];
  const log = openLog('warn', { write: (line) => void lines.push(JSON.parse(line)) });
  const rejections = new CountingLog<Rejection>(log, rejectionLines);
  const note = (rejection: Rejection, count = 1) => {
    for (let n = 0; n < count; n++) rejections.note(rejection, log.child({ reqId: `r${n}` }));
  };
  return { lines, rejections, note };
}

const shown = (lines: readonly Record<string, unknown>[]) =>
  lines.map(({ msg, code, cause, further }) =>
    [msg, code, cause, further].filter((part) => part !== undefined),
  );

describe('the log of rejected requests', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has the first one at once, and then the number of further ones every second', () => {
    const { lines, note } = open();
    note(overloaded, 1000);
    expect(lines).toMatchObject([{ msg: 'request rejected', reqId: 'r0', ...rest(overloaded) }]);
    vi.advanceTimersByTime(1000);
    note(overloaded, 500);
    vi.advanceTimersByTime(1000);
    expect(lines.slice(1)).toMatchObject([
      { level: 'warn', msg: 'further requests rejected', further: 999, ...rest(overloaded) },
      { level: 'warn', msg: 'further requests rejected', further: 500, ...rest(overloaded) },
    ]);
  });

  it('has the next one at once after a second without any', () => {
    const { lines, note } = open();
    note(overloaded);
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
    note(overloaded);
    expect(shown(lines)).toEqual([
      ['request rejected', 'OVERLOADED'],
      ['request rejected', 'OVERLOADED'],
    ]);
  });

  it('has another code, route or cause at once during a flood', () => {
    const { lines, note } = open();
    note(overloaded, 1000);
    note({ ...overloaded, route: 'POST /irs/insert' });
    note({ ...overloaded, code: 'UNAVAILABLE' });
    note({ ...overloaded, code: 'UNAVAILABLE', cause: 'statement timeout' });
    expect(shown(lines)).toEqual([
      ['request rejected', 'OVERLOADED'],
      ['request rejected', 'OVERLOADED'],
      ['request rejected', 'UNAVAILABLE'],
      ['request rejected', 'UNAVAILABLE', 'statement timeout'],
    ]);
  });

  it('does not grow with the number of different causes, and counts all of them', () => {
    const { lines, rejections, note } = open();
    for (let n = 0; n < 10_000; n++) note({ ...overloaded, cause: `cause ${n}` });
    note({ ...overloaded, code: 'UNAVAILABLE', cause: 'another' });
    expect(lines.length).toBeLessThan(110);
    expect(lines.at(-1)).toMatchObject({ code: 'UNAVAILABLE', cause: 'another' });
    rejections.close();
    expect(lines.reduce((sum, { further = 1 }) => sum + Number(further), 0)).toBe(10_001);
  });

  it('has the counts when the service stops, and every rejection after that', () => {
    const { lines, rejections, note } = open();
    note(overloaded, 10);
    rejections.close();
    expect(vi.getTimerCount()).toBe(0);
    note(overloaded, 2);
    expect(shown(lines)).toEqual([
      ['request rejected', 'OVERLOADED'],
      ['further requests rejected', 'OVERLOADED', 9],
      ['request rejected', 'OVERLOADED'],
      ['request rejected', 'OVERLOADED'],
    ]);
  });
});

const rest = ({ code, route }: Rejection) => ({ code, route });
