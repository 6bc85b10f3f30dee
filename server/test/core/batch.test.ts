import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/core/faults.ts';
import { readBatch } from '../../src/core/records/batch.ts';
import { recordList } from '../setup/records.ts';

const limits = { records: 3, users: 4 };
const way = { variant: 'job' } as const;

async function refusal(body: unknown[] | null): Promise<unknown> {
  try {
    readBatch(body && (await recordList(body)), limits, way);
  } catch (error) {
    return error instanceof Refusal ? error.fault : error;
  }
  return null;
}

describe('the body of a call', () => {
  it('is an array of records', async () => {
    const records = [
      { ID: 1, Users: [1, 2, 3] },
      { ID: 2, Users: [4] },
      { ID: 3, Users: 'no array' },
    ];
    const list = await recordList(records);
    expect(readBatch(list, limits, way)).toBe(list);
    expect(await Promise.all([0, 1, 2].map((position) => list.fields(position)))).toEqual(records);
  });

  it('is nothing else', async () => {
    expect(await refusal(null)).toEqual({ code: 'INVALID_BODY', variant: 'array' });
  });

  it('is not empty', async () => {
    expect(await refusal([])).toEqual({ code: 'INVALID_BODY', variant: 'empty' });
  });

  it.each([[null], ['text'], [[]], [7]])(
    'holds objects alone, and the place of another is told: %o',
    async (element) => {
      expect(await refusal([{}, element])).toEqual({
        code: 'INVALID_BODY',
        variant: 'element',
        figures: { position: 1 },
      });
    },
  );

  it('holds no more records and users than the limits', async () => {
    const tooLarge = { code: 'BATCH_TOO_LARGE', variant: 'job', figures: limits };
    expect(await refusal([{}, {}, {}, {}])).toEqual(tooLarge);
    expect(await refusal([{ Users: [1, 2, 3] }, { Users: [4, 5] }])).toEqual(tooLarge);
    expect(await refusal([{ Users: [1, 2, 3] }, { Users: [4] }])).toBeNull();
  });
});
