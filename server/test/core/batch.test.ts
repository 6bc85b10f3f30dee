import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/core/faults.ts';
import { readBatch } from '../../src/core/records/batch.ts';

const limits = { records: 3, users: 4 };

function refusal(body: unknown): unknown {
  try {
    readBatch(body, limits, { variant: 'job' });
  } catch (error) {
    return error instanceof Refusal ? error.fault : error;
  }
  return null;
}

describe('the body of a call', () => {
  it('is an array of records', () => {
    const records = [
      { ID: 1, Users: [1, 2, 3] },
      { ID: 2, Users: [4] },
      { ID: 3, Users: 'no array' },
    ];
    expect(readBatch(records, limits, { variant: 'job' })).toEqual(records);
  });

  it.each([[{}], ['text'], [7], [null], [undefined]])('is nothing else: %o', (body) => {
    expect(refusal(body)).toEqual({ code: 'INVALID_BODY', variant: 'array' });
  });

  it('is not empty', () => {
    expect(refusal([])).toEqual({ code: 'INVALID_BODY', variant: 'empty' });
  });

  it.each([[null], ['text'], [[]], [7]])(
    'holds objects alone, and the place of another is told: %o',
    (element) => {
      expect(refusal([{}, element])).toEqual({
        code: 'INVALID_BODY',
        variant: 'element',
        figures: { position: 1 },
      });
    },
  );

  it('holds no more records and users than the limits', () => {
    const tooLarge = { code: 'BATCH_TOO_LARGE', variant: 'job', figures: limits };
    expect(refusal([{}, {}, {}, {}])).toEqual(tooLarge);
    expect(refusal([{ Users: [1, 2, 3] }, { Users: [4, 5] }])).toEqual(tooLarge);
    expect(refusal([{ Users: [1, 2, 3] }, { Users: [4] }])).toBeNull();
  });
});
