import { Type } from 'typebox';
import { answer, count, ErrorEnvelope, errorAnswers, errorExample, page } from '../http/answer-schemas.ts';
import {
  debug,
  flag,
  Id,
  language,
  named,
  nullable,
  optional,
  State,
  strictObject,
} from '../http/schemas.ts';
import { JobAlone } from '../jobs/jobs.routes.ts';
import type { Code } from '../lib/error-codes.ts';
import { absentSchemas, requestSchemas } from '../records/fields.schemas.ts';
import { principalFields, userFields } from '../records/fields.ts';
import { TupleSchema } from '../records/tuple.schemas.ts';

/** The bodies describe the records of a call. `records/` reads the records, each with all of its field errors. */

const passwords = {
  Password: Type.String({
    format: 'password',
    description: 'The password: 8 to 128 characters, not a common password.',
  }),
  ConfirmPassword: Type.String({ format: 'password', description: 'The same value as `Password`.' }),
};

const absent = Type.Optional(Type.Null());
const newUser = {
  Username: Type.String({ minLength: 1, maxLength: 128 }),
  ...requestSchemas(userFields),
  ID: absent,
};

const Registration = named('Registration', strictObject({ ...newUser, ...passwords, PasswordHash: absent }));
const Import = named(
  'RegistrationWithHash',
  strictObject({
    ...newUser,
    PasswordHash: Type.String({
      description:
        'A hash from another system, instead of `Password` and `ConfirmPassword`: argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity.',
    }),
    Password: absent,
    ConfirmPassword: absent,
  }),
);

const CurrentPassword = optional(
  Type.String({
    format: 'password',
    description: 'The current password. Required if a signed-in user changes its own password.',
  }),
);
const noName = { Username: absent, ...absentSchemas(userFields), PasswordHash: absent };
const Reset = named('Reset', strictObject({ ID: Id, ...passwords, CurrentPassword, ...noName }));

const longSentence = 'una frase lunga';
const newSentence = 'una frase nuova';

const failedRecordFields = {
  FieldErrors: Type.Optional(
    Type.Unknown({
      description: 'Ignored. Present in failed records, which can be corrected and sent again.',
    }),
  ),
  Position: Type.Optional(Type.Unknown({ description: 'Ignored, as `FieldErrors`.' })),
};

const updatedUsers = {
  Users: Type.Array(Type.Union([Registration, Import, Reset]), { minItems: 1 }),
  ...failedRecordFields,
};
const UpdateRecord = named(
  'UpdateRecord',
  Type.Union(
    [
      strictObject({ ID: Id, ExternalKey: absent, ...updatedUsers }),
      strictObject({
        ID: absent,
        ExternalKey: Type.String({
          minLength: 1,
          maxLength: principalFields.ExternalKey.maxLength,
          description: 'The external key of the principal, instead of `ID`.',
        }),
        ...updatedUsers,
      }),
    ],
    { description: 'A principal, with users to register and passwords to reset.' },
  ),
);
export const UpdateBody = Type.Array(UpdateRecord, {
  minItems: 1,
  examples: [
    [
      {
        ID: 1,
        Users: [{ Username: 'mario.rossi', Password: longSentence, ConfirmPassword: longSentence }],
      },
    ],
    [{ ID: 1, Users: [{ ID: 1, Password: newSentence, ConfirmPassword: newSentence }] }],
  ],
});

const InsertRecord = named(
  'InsertRecord',
  strictObject(
    {
      ...requestSchemas(principalFields),
      Users: optional(Type.Array(Type.Union([Registration, Import]))),
      ...failedRecordFields,
    },
    { minProperties: 1, description: 'A principal to create, with or without users.' },
  ),
);
export const InsertBody = Type.Array(InsertRecord, {
  minItems: 1,
  examples: [[{ ExternalKey: 'C-1', Denomination: 'Rossi Srl', Vatnumber: 'IT01234567890' }]],
});

const UserState = named('UserState', strictObject({ ID: Id, State }));
const StateRecord = named(
  'StateRecord',
  strictObject(
    {
      ID: Id,
      State: optional(State),
      Users: optional(Type.Array(UserState)),
      ...failedRecordFields,
    },
    { description: 'The new state of a principal, of some of its users, or both.' },
  ),
);
export const StateBody = Type.Array(StateRecord, {
  minItems: 1,
  examples: [[{ ID: 1, State: 'disabled', Users: [{ ID: 7, State: 'active' }] }]],
});

export const WriteQuery = Type.Object({
  dryRun: flag('Checks all records without changing anything. `result.record` is an estimate.'),
  ...debug,
});

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
        'Identifies the call. The service applies a call with the same key once and repeats its response.',
    }),
  ),
});

const Estimate = named(
  'Estimate',
  strictObject(
    {
      Register: count('Number of users that would be registered.'),
      Reset: count('Number of passwords that would be reset.'),
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
