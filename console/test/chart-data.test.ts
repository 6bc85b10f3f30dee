import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedToday, highestOf, roundSteps } from '../src/features/overview/chart-data.ts';

describe('the axis of a chart', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [37, [0, 10, 20, 30, 40]],
    [100, [0, 50, 100]],
    [100_001, [0, 50_000, 100_000, 150_000]],
  ])('has round steps for the maximum %i', (highest, steps) => {
    expect(roundSteps(highest)).toEqual(steps);
  });

  it('reaches the maximum in one to four equal integer steps, without an extra step', () => {
    assert(
      property(integer({ min: 1, max: 1e12 }), (highest) => {
        const steps = roundSteps(highest);
        const [zero, step = 0] = steps;
        expect(zero).toBe(0);
        expect(steps.length).toBeGreaterThanOrEqual(2);
        expect(steps.length).toBeLessThanOrEqual(5);
        expect(steps).toEqual(steps.map((_, n) => n * step));
        expect(steps.every(Number.isInteger)).toBe(true);
        expect(steps.at(-1)).toBeGreaterThanOrEqual(highest);
        expect(steps.at(-2)).toBeLessThan(highest);
      }),
    );
  });
});

const noActivity = {
  UsersRegistered: 0,
  PasswordsReset: 0,
  PrincipalsInserted: 0,
  Calls: 0,
  Jobs: 0,
  RecordsFailed: 0,
};

describe('the height of a chart', () => {
  it('is that of the highest figure, since figures that count different things have no sum', () => {
    const span = { ...noActivity, Start: '2026-05-04T00:00:00Z', Calls: 30, Jobs: 4, RecordsFailed: 900 };
    const series = (['Calls', 'Jobs'] as const).map((name) => ({ name, label: name, color: '' }));
    expect(highestOf(span, series)).toBe(30);
  });
});

describe('the additions of today', () => {
  /** The local hour of a day in May, with users registered in it. */
  const hour = (day: number, hours: number, UsersRegistered: number) => ({
    ...noActivity,
    Start: new Date(2026, 4, day, hours).toISOString(),
    UsersRegistered,
  });
  const hours = [hour(4, 22, 7), hour(4, 23, 8), hour(5, 0, 3), hour(5, 1, 1)];

  it('are those of the local day of the reader, also shortly after its midnight', () => {
    expect(addedToday(hours, 'UsersRegistered', new Date(2026, 4, 5, 1, 30))).toBe(4);
  });

  it('are those of the day before until midnight', () => {
    expect(addedToday(hours.slice(0, 2), 'UsersRegistered', new Date(2026, 4, 4, 23, 59))).toBe(15);
  });

  it('are none if the statistics were read before midnight', () => {
    expect(addedToday(hours.slice(0, 2), 'UsersRegistered', new Date(2026, 4, 5, 0, 1))).toBe(0);
  });
});
