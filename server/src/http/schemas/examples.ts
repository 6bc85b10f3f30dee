import type { Code } from '../../lib/error-codes.ts';

/** The tuple of an applied record, as an example in the OpenAPI document. */
export const appliedExample = {
  Item1: 1,
  Item2: null,
  Item3: true,
  Item4: null,
  Item5: {},
  Item6: {},
};

export const refusedExample = {
  Item1: 2,
  Item2: 'USERNAME_TAKEN',
  Item3: false,
  Item4: 'This username is taken.',
  Item5: { 'Users[0].Username': [{ code: 'USERNAME_TAKEN', message: 'This username is taken.' }] },
  Item6: {},
};

const summaries: Record<number, { errorCode: Code | null; message: string | null }> = {
  200: { errorCode: null, message: null },
  207: {
    errorCode: 'PARTIALLY_APPLIED',
    message: '1 of 2 records were applied; result.records tells which were not, and why.',
  },
  422: { errorCode: 'USERNAME_TAKEN', message: 'No record was applied; result.records tells why.' },
};

export function tuplesExample(statusCode: number, records: readonly object[]) {
  const count = records.length;
  const result = { totalCount: count, totalPages: 1, page: 1, count, records, record: null };
  return { statusCode, ...summaries[statusCode], result, debug: null };
}

export function errorExample(statusCode: number, errorCode: Code) {
  return {
    statusCode,
    errorCode,
    message: 'One sentence that says what happened.',
    result: null,
    debug: null,
  };
}
