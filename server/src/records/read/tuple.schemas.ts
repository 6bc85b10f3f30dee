import { Type } from 'typebox';
import { Count, ErrorCode, ErrorDetail, Moment, Text } from '../../http/answer-schemas.ts';
import { Id, named, nullable, oneOf, strictObject } from '../../http/schemas.ts';
import { keptReasons } from '../write/outcome.ts';

export const Kept = Type.Optional(
  Type.Array(
    strictObject({
      Field: nullable(Type.String({ description: 'Null for the user or principal as a whole.' })),
      Reason: oneOf(keptReasons, {
        description:
          '`changed`: changed or used since. `deleted`: no longer exists. `moved`: the run has moved the user here, and its former principal no longer exists. `password`: it was reset, and the old one is unknown. `expired`: the old values are no longer stored. `taken`: the old name or key now belongs to another user or principal. `last`: the principal would have no field without it. `differs`: a merged principal has another value, which is dropped.',
      }),
      Other: Type.Optional(
        Type.Unknown({
          description: 'The dropped value. Only in a dry run, for callers with the scope `sync:read`.',
        }),
      ),
    }),
    { description: 'What an undo or a merge leaves as it is.' },
  ),
);

import { inviteChannels } from '../parse/new-password.ts';

/** The fields of an invited user in a tuple. */
export const inviteFields = {
  Invite: Type.Optional(
    oneOf(inviteChannels, {
      description: 'Present if the user was invited: the way in which it gets its code.',
    }),
  ),
  Code: Type.Optional(
    nullable(
      Type.String({
        description:
          'The code with which the user sets its password. Only the first answer to a synchronous call has it; a repeated answer and the tuples of a job have null.',
      }),
    ),
  ),
  URL: Type.Optional(
    nullable(
      Type.String({
        description: 'The page on which the user sets its password. Null without ANAGRAFE_PUBLIC_URL.',
      }),
    ),
  ),
  IssuedAt: Type.Optional(nullable(Moment)),
  ExpiresAt: Type.Optional(nullable(Moment)),
};

const AppliedUser = named(
  'AppliedUser',
  strictObject(
    {
      ID: Id,
      Username: Text,
      Email: Text,
      Operation: oneOf(
        ['register', 'reset', 'state', 'edit', 'move', 'disable', 'delete', 'invite', 'none'],
        {
          description: 'The operation. `none`: the user already had all values.',
        },
      ),
      Changed: Type.Optional(
        Type.Array(Type.String(), { description: 'The names of the fields that an edit changed.' }),
      ),
      State: Type.Optional(
        oneOf(['disabled', 'invited'], {
          description:
            '`disabled`: the user was reset or moved, but is disabled. `invited`: the user was enabled, but has no password. It cannot sign in.',
        }),
      ),
      Kept,
      ...inviteFields,
    },
    {
      description:
        'A user that was written, with the operation. `Username` and `Email` are null for a user that was deleted, and for an existing user if the caller does not have the scope `sync:read`.',
    },
  ),
);

export const tupleProperties = {
  Item1: nullable(
    Type.Integer({
      description: 'The ID of the principal. If the record was not applied, the ID that was sent.',
    }),
  ),
  Item2: Type.Union([ErrorCode, Type.Null()], {
    description: 'The error code if the record was not applied, otherwise null.',
  }),
  Item3: Type.Boolean({ description: 'True if the record was applied.' }),
  Item4: nullable(
    Type.String({ description: 'The error message if the record was not applied, otherwise null.' }),
  ),
  Item5: Type.Record(Type.String(), Type.Array(ErrorDetail), {
    description: 'The field errors by path, such as `Users[0].Password`.',
  }),
};

export const TupleSchema = named(
  'Tuple',
  strictObject(
    {
      ...tupleProperties,
      Item6: strictObject(
        {
          Principal: Type.Optional(
            oneOf(['inserted', 'updated', 'unchanged', 'deleted'], {
              description: 'The effect on the principal, if the record has fields of the principal.',
            }),
          ),
          Kept,
          Users: Type.Optional(Type.Array(AppliedUser)),
          ExternalKey: Type.Optional(
            Type.String({
              description: 'The external key of a record that was not applied and was sent without `ID`.',
            }),
          ),
          Username: Type.Optional(
            Type.String({
              description:
                'The first username in a record that was not applied. Only in the tuples of jobs and of earlier calls.',
            }),
          ),
        },
        {
          description:
            'The effect on the principal and the written users, with `Prefer: return=representation`. For a record that was not applied, the names that it was sent with. Otherwise empty.',
        },
      ),
    },
    {
      description:
        'The result of one record. The names `Item1` to `Item6` are those of the documented interface.',
    },
  ),
);

/** Zero-based indexes in the request of the records whose tuples a page contains, in the order of the tuples. */
export const Positions = Type.Array(Count, {
  description:
    'For each tuple of `result.records`, the zero-based index of its record in the request. Equals `Position` of a failed record.',
});

export const FailedRecordSchema = named(
  'FailedRecord',
  Type.Object(
    { Position: Count, FieldErrors: Type.Record(Type.String(), Type.Array(ErrorDetail)) },
    {
      description:
        'A record that was not applied, as it was sent but without secrets. `Position` is its zero-based index in the request, `FieldErrors` has its field errors by path.',
      additionalProperties: true,
    },
  ),
);
