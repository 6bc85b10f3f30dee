import { range } from '@anagrafe/testing/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlannedRecord, planChunks } from '../../src/jobs/chunk-planner.ts';

function waiting(
  weights: readonly number[],
  order: (position: number) => number | null = () => null,
): PlannedRecord[] {
  return weights.map((weight, position) => {
    const key = order(position);
    return { position, weight, orderingKeys: key === null ? [] : [key] };
  });
}

describe('the chunk plan of a job', () => {
  it('is empty if there are no records', async () => {
    expect(await planChunks([])).toEqual([]);
  });

  it('is one chunk for a few passwords', async () => {
    expect(await planChunks(waiting([1, 2, 3]))).toEqual([{ positions: [0, 1, 2], weight: 6 }]);
  });

  it('starts a new chunk after a weight of 250 passwords', async () => {
    expect(await planChunks(waiting([249, 1, 1]))).toEqual([
      { positions: [0, 1], weight: 250 },
      { positions: [2], weight: 1 },
    ]);
    const halves = await planChunks(waiting(range(600).map(() => 0.5)));
    expect(halves.map((chunk) => chunk.weight)).toEqual([250, 50]);
  });

  it('does not split a large record', async () => {
    expect(await planChunks(waiting([10, 2000, 10]))).toEqual([
      { positions: [0, 1], weight: 2010 },
      { positions: [2], weight: 10 },
    ]);
  });

  it('puts records with the same ordering key into one chunk, at any distance between them', async () => {
    const weights = [100, 250, 100, 100];
    const chunks = await planChunks(
      waiting(weights, (position) => (position === 0 || position === 3 ? 7 : null)),
    );
    expect(chunks).toEqual([
      { positions: [0, 1, 3], weight: 450 },
      { positions: [2], weight: 100 },
    ]);
  });

  it('joins two chunks for a record with the ordering keys of both', async () => {
    const keys = [[1], [2], [3], [2, 1], [3]];
    const records = keys.map((orderingKeys, position) => ({ position, weight: 250, orderingKeys }));
    expect(await planChunks(records)).toEqual(
      [
        { positions: [2, 4], weight: 500 },
        { positions: [0, 1, 3], weight: 750 },
      ].toSorted((one, other) => (one.positions[0] ?? 0) - (other.positions[0] ?? 0)),
    );
  });

  it('keeps the positions of the records if they are not consecutive', async () => {
    const left = waiting([1, 1, 1]).map((record) => ({ ...record, position: record.position * 5 + 2 }));
    expect(await planChunks(left)).toEqual([{ positions: [2, 7, 12], weight: 3 }]);
  });

  it('contains every record once, in the order sent, and never splits records with one ordering key', async () => {
    const record = fc.record({
      weight: fc.integer({ min: 1, max: 400 }),
      orderingKeys: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 60 }), async (records) => {
        const sent = records.map((one, position) => ({ ...one, position }));
        const chunks = await planChunks(sent);
        const planned = chunks.flatMap(({ positions }) => [...positions]);
        expect(planned.toSorted((one, other) => one - other)).toEqual(range(records.length));
        for (const { positions, weight } of chunks) {
          expect(positions.length).toBeGreaterThan(0);
          expect(positions).toEqual(positions.toSorted((one, other) => one - other));
          expect(weight).toBe(positions.reduce((sum, at) => sum + (sent[at]?.weight ?? 0), 0));
        }
        for (const key of range(21)) {
          const found = chunks.filter(({ positions }) =>
            positions.some((at) => sent[at]?.orderingKeys.includes(key)),
          );
          expect(found.length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
