import { recordList } from '@anagrafe/testing/records';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/lib/field-errors.ts';
import { requireBatch } from '../../src/records/check/batch.ts';

const limits = { records: 3, users: 4 };
const way = { variant: 'job' } as const;

async function refusal(body: unknown[] | null): Promise<unknown> {
  try {
    requireBatch(body && (await recordList(body)), limits, way);
  } catch (error) {
    return error instanceof ApiError ? error.detail : error;
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
    expect(requireBatch(list, limits, way)).toBe(list);
    expect(await Promise.all([0, 1, 2].map((position) => list.fields(position)))).toEqual(records);
  });

  it('is refused if it is not an array', async () => {
    expect(await refusal(null)).toEqual({ code: 'INVALID_BODY', variant: 'array' });
  });

  it('is refused if it is an empty array', async () => {
    expect(await refusal([])).toEqual({ code: 'INVALID_BODY', variant: 'empty' });
  });

  it.each([[null], ['text'], [[]], [7]])(
    'is refused with the index of an element that is not an object: %o',
    async (element) => {
      expect(await refusal([{}, element])).toEqual({
        code: 'INVALID_BODY',
        variant: 'element',
        figures: { position: 1 },
      });
    },
  );

  it('is refused if it has more records or users than the limits', async () => {
    const tooLarge = { code: 'BATCH_TOO_LARGE', variant: 'job', figures: limits };
    expect(await refusal([{}, {}, {}, {}])).toEqual(tooLarge);
    expect(await refusal([{ Users: [1, 2, 3] }, { Users: [4, 5] }])).toEqual(tooLarge);
    expect(await refusal([{ Users: [1, 2, 3] }, { Users: [4] }])).toBeNull();
  });
});
