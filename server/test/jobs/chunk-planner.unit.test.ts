import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlannedRecord, planChunks } from '../../src/jobs/chunk-planner.ts';

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

function waiting(
  users: readonly number[],
  order: (position: number) => number | null = () => null,
): PlannedRecord[] {
  return users.map((count, position) => ({ position, users: count, order: order(position) }));
}

describe('the chunk plan of a job', () => {
  it('is empty if there are no records', () => {
    expect(planChunks([])).toEqual([]);
  });

  it('is one chunk for a few users', () => {
    expect(planChunks(waiting([1, 2, 3]))).toEqual([{ positions: [0, 1, 2], users: 6 }]);
  });

  it('starts a new chunk after 250 users, and counts a record without users as one user', () => {
    expect(planChunks(waiting([249, 1, 1]))).toEqual([
      { positions: [0, 1], users: 250 },
      { positions: [2], users: 1 },
    ]);
    expect(planChunks(waiting(range(600).map(() => 0))).map((chunk) => chunk.users)).toEqual([250, 250, 100]);
  });

  it('does not split a record with many users', () => {
    expect(planChunks(waiting([10, 2000, 10]))).toEqual([
      { positions: [0, 1], users: 2010 },
      { positions: [2], users: 10 },
    ]);
  });

  it('puts records with the same order key into one chunk, at any distance between them', () => {
    const users = [100, 250, 100, 100];
    const chunks = planChunks(waiting(users, (position) => (position === 0 || position === 3 ? 7 : null)));
    expect(chunks).toEqual([
      { positions: [0, 1, 3], users: 450 },
      { positions: [2], users: 100 },
    ]);
  });

  it('keeps the positions of the records if they are not consecutive', () => {
    const left = waiting([1, 1, 1]).map((record) => ({ ...record, position: record.position * 5 + 2 }));
    expect(planChunks(left)).toEqual([{ positions: [2, 7, 12], users: 3 }]);
  });

  it('contains every record once, in the order sent, and never splits records with one order key', () => {
    const record = fc.record({
      users: fc.integer({ min: 0, max: 400 }),
      order: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 60 }), (records) => {
        const sent = records.map((one, position) => ({ ...one, position }));
        const chunks = planChunks(sent);
        const planned = chunks.flatMap(({ positions }) => [...positions]);
        expect(planned.toSorted((one, other) => one - other)).toEqual(range(records.length));
        for (const { positions, users } of chunks) {
          expect(positions.length).toBeGreaterThan(0);
          expect(positions).toEqual(positions.toSorted((one, other) => one - other));
          expect(users).toBe(positions.reduce((sum, at) => sum + Math.max(sent[at]?.users ?? 0, 1), 0));
        }
        for (const order of range(7)) {
          const found = chunks.filter(({ positions }) => positions.some((at) => sent[at]?.order === order));
          expect(found.length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
