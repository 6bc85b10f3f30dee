import { Type } from 'typebox';
import { answer, count, ErrorEnvelope, errorAnswers, errorExample, page } from '../http/answer-schemas.ts';
import { debug, defaulted, flag, language, named, nullable, oneOf, strictObject } from '../http/schemas.ts';
import { JobAlone } from '../jobs/jobs.routes.ts';
import type { Code } from '../lib/error-codes.ts';
import { PerMinute } from '../mail/mails.routes.ts';
import { TupleSchema } from '../records/read/tuple.schemas.ts';

export const WriteQuery = Type.Object({
  dryRun: flag('Checks all records without changing anything. `result.record` is an estimate.'),
  ...debug,
});

/** How fast the mails of a call are sent that invites by email. */
export const inviteQuery = {
  perMinute: Type.Optional({
    ...PerMinute,
    description:
      'Maximum number of mails per minute to the users that the job invites by email. Only with `Prefer: respond-async`.',
  }),
};

export const InviteQuery = Type.Object({ ...inviteQuery, ...WriteQuery.properties });

export const similarQuery = {
  similar: defaulted(
    oneOf(['allow', 'refuse'], {
      default: 'allow',
      description:
        '`refuse`: a record that would insert a principal with the name, `Vatnumber` or `Taxcode` of another one, or with an `ExternalKey` that differs from another one only in leading zeros, case, dashes or spaces, fails with `LOOKS_LIKE_ANOTHER`, unless it has `Similar: "allow"`.',
    }),
  ),
};

export const InsertQuery = Type.Object({ ...similarQuery, ...inviteQuery, ...WriteQuery.properties });

export const WriteHeaders = Type.Object({
  ...language,
  Prefer: Type.Optional(
    Type.String({
      description:
        '`respond-async` runs the call as a job. `return=representation` fills `Item6` of applied records.',
    }),
  ),
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Identifies the call. The service applies a call with the same key once and repeats its answer.',
    }),
  ),
  'Anagrafe-Run': Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'The run that the call is a part of, such as an import: a UUID that the client chooses and sends with each call of the run.',
    }),
  ),
});

const Estimate = named(
  'Estimate',
  strictObject(
    {
      Register: count('Number of users that would be registered.'),
      Reset: count('Number of passwords that would be reset.'),
      Invite: Type.Optional(count('Number of users that would be invited. Only of `irs/invite`.')),
      RecordsFailed: count('Number of records that would not be applied.'),
      EstimatedSeconds: Type.Number({ minimum: 0, description: 'Estimated duration in seconds.' }),
    },
    { description: 'The estimate of a dry run.' },
  ),
);
const Tuples = page('TuplesEnvelope', TupleSchema, nullable(Estimate));

const appliedExample = { Item1: 1, Item2: null, Item3: true, Item4: null, Item5: {}, Item6: {} };
const refusedExample = {
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
    message: '1 of 2 records were applied. See result.records for the errors of the others.',
  },
  422: { errorCode: 'USERNAME_TAKEN', message: 'No record was applied. See result.records for the errors.' },
};

function tuplesExample(statusCode: number, records: readonly object[]) {
  const length = records.length;
  const result = { totalCount: length, totalPages: 1, page: 1, count: length, records, record: null };
  return { statusCode, ...summaries[statusCode], result, debug: null };
}

export const writeAnswers = {
  200: answer('All records were applied.', Tuples, tuplesExample(200, [appliedExample])),
  207: answer(
    'Some records were applied. The tuples have the result of each.',
    Tuples,
    tuplesExample(207, [appliedExample, refusedExample]),
  ),
  202: answer('Accepted as a job. See `Location`.', JobAlone),
  409: answer(
    'A call with this `Idempotency-Key` is still running. See `Retry-After`.',
    ErrorEnvelope,
    errorExample(409, 'IDEMPOTENCY_IN_PROGRESS'),
  ),
  422: answer(
    'No record was applied, or the `Idempotency-Key` belongs to another call.',
    Type.Union([Tuples, ErrorEnvelope]),
    tuplesExample(422, [refusedExample]),
  ),
  ...errorAnswers,
};
