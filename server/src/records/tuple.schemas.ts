import { Type } from 'typebox';
import { Count, ErrorCode, ErrorDetail, Text } from '../http/answer-schemas.ts';
import { Id, named, nullable, oneOf, strictObject } from '../http/schemas.ts';

const AppliedUser = named(
  'AppliedUser',
  strictObject(
    {
      ID: Id,
      Username: Text,
      Email: Text,
      Operation: oneOf(['register', 'reset', 'state']),
    },
    {
      description:
        'A user that was written, and what was done to it. Username and Email of a user that existed before are null where the caller does not have the scope `sync:read`.',
    },
  ),
);

export const TupleSchema = named(
  'Tuple',
  strictObject(
    {
      Item1: nullable(Type.Integer({ description: 'the ID of the principal' })),
      Item2: Type.Union([ErrorCode, Type.Null()], { description: 'why it was not applied, as a code' }),
      Item3: Type.Boolean({ description: 'whether the record was applied' }),
      Item4: nullable(Type.String({ description: 'why it was not, for a person' })),
      Item5: Type.Record(Type.String(), Type.Array(ErrorDetail), {
        description: 'every fault of the record, by place',
      }),
      Item6: strictObject(
        { Users: Type.Optional(Type.Array(AppliedUser)) },
        { description: 'filled with Prefer: return=representation' },
      ),
    },
    { description: 'What became of one record' },
  ),
);

/** Zero-based indexes in the request of the records whose tuples a page contains, in the order of the tuples. */
export const Positions = Type.Array(Count, {
  description:
    'which record of the call each tuple of `result.records` belongs to, from 0, as `Position` in the retry kit',
});

export const FailedRecordSchema = named(
  'FailedRecord',
  Type.Object(
    { Position: Count, FieldErrors: Type.Record(Type.String(), Type.Array(ErrorDetail)) },
    {
      description:
        'the record as it was sent, its secrets null, with its place in the call (from 0) and its faults',
      additionalProperties: true,
    },
  ),
);
