import { Type } from 'typebox';
import { answer, count, ErrorEnvelope, errorAnswer, page, Text } from '../http/answer-schemas.ts';
import { defaulted, flag, Id, named, nullable, oneOf, strictObject } from '../http/schemas.ts';
import { EffectCountsSchema, effectCounts } from '../records/read/plan.schemas.ts';
import { inviteFields, Kept, Positions, tupleProperties } from '../records/read/tuple.schemas.ts';
import { inviteQuery, similarQuery, WriteHeaders, WriteQuery, writeAnswers } from './write.schemas.ts';

export const UpsertQuery = Type.Object({
  missing: defaulted(
    oneOf(['keep', 'disable', 'delete'], {
      default: 'keep',
      description: 'What happens to users of a sent principal that are not in `Users` of the record.',
    }),
  ),
  passwords: defaulted(
    oneOf(['keep', 'overwrite'], {
      default: 'keep',
      description: '`overwrite` sets the password of existing users too.',
    }),
  ),
  existing: defaulted(
    oneOf(['update', 'refuse'], {
      default: 'update',
      description: '`refuse`: a record that would change an existing principal or user fails.',
    }),
  ),
  moves: defaulted(
    oneOf(['refuse', 'allow'], {
      default: 'refuse',
      description:
        '`allow`: a user of another principal moves to the principal of the record, with its ID and password, and its sessions end. Otherwise its username is taken.',
    }),
  ),
  ...similarQuery,
  ...inviteQuery,
  ...WriteQuery.properties,
  changed: flag('Leaves out records that would change nothing. Only with `dryRun=true`.'),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page of a dry run, from 1.' }),
  ),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of tuples per page of a dry run. Default 100, if `page` is sent.',
    }),
  ),
});

const { dryRun, debug, changed, page: pageNumber, pageSize } = UpsertQuery.properties;
/** The parameters of a call whose dry run has a plan. */
export const MergeQuery = Type.Object({ dryRun, debug, changed, page: pageNumber, pageSize });

export const UpsertHeaders = Type.Object({
  ...WriteHeaders.properties,
  'If-Match': Type.Optional(
    Type.String({
      description:
        'The plan of a dry run in double quotes. The call is applied only while the plan holds; otherwise the answer is 412.',
    }),
  ),
});

const FieldChange = named(
  'FieldChange',
  strictObject({ Field: Type.String(), From: Type.Unknown(), To: Type.Unknown() }),
);
const Changes = Type.Optional(
  Type.Array(FieldChange, {
    description:
      'The changed fields with their values. Only in a dry run, for callers with the scope `sync:read`.',
  }),
);
const UpsertedUser = named(
  'UpsertedUser',
  strictObject(
    {
      ID: nullable(Id),
      Username: Text,
      Email: Text,
      Operation: oneOf(['register', 'edit', 'move', 'disable', 'delete', 'none']),
      Changed: Type.Optional(Type.Array(Type.String())),
      State: Type.Optional(Type.Literal('disabled')),
      ...inviteFields,
      Changes,
      Kept,
    },
    {
      description: 'A user of the record, or one that it removes. `ID` is null in a dry run for a new user.',
    },
  ),
);
const UpsertTuple = named(
  'UpsertTuple',
  strictObject(
    {
      ...tupleProperties,
      Item6: strictObject(
        {
          Principal: Type.Optional(oneOf(['inserted', 'updated', 'unchanged', 'deleted'])),
          Changes,
          Kept,
          Users: Type.Optional(Type.Array(UpsertedUser)),
          ExternalKey: Type.Optional(Type.String()),
        },
        { description: 'The effect of the record, with `Prefer: return=representation`; otherwise empty.' },
      ),
    },
    { description: 'The result of one record of `irs/upsert`.' },
  ),
);

const Plan = named(
  'UpsertPlan',
  strictObject(
    {
      ...effectCounts,
      RecordsFailed: count('Number of records that would not be applied.'),
      EstimatedSeconds: Type.Number({ minimum: 0, description: 'Estimated duration in seconds.' }),
      Plan: Type.String({ description: 'The tag of the plan, for `If-Match`. Also in the header `ETag`.' }),
      Positions: Type.Optional(Positions),
    },
    { description: 'The plan of a dry run: what the call would do.' },
  ),
);
const Tuples = page('UpsertEnvelope', UpsertTuple, Type.Union([EffectCountsSchema, Plan]));

export const upsertAnswers = {
  ...writeAnswers,
  200: answer('All records were applied.', Tuples),
  207: answer('Some records were applied. The tuples have the result of each.', Tuples),
  412: errorAnswer('The plan in `If-Match` no longer holds. Nothing was applied.', 'PLAN_OUTDATED'),
  422: answer(
    'No record was applied, the call would remove too many users, or the `Idempotency-Key` belongs to another call.',
    Type.Union([Tuples, ErrorEnvelope]),
  ),
};
