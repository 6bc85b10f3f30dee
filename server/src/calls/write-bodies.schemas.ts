import { type TSchema, Type } from 'typebox';
import { Id, named, optional, State, strictObject } from '../http/schemas.ts';
import { absentSchemas, editSchemas, requestSchemas } from '../records/fields/fields.schemas.ts';
import { principalFields, userFields } from '../records/fields/fields.ts';

/** The bodies describe the records of a call. `records/` reads the records, each with all of its field errors. */

export const passwords = {
  Password: Type.String({
    format: 'password',
    description: 'The password: 8 to 128 characters, not a common password.',
  }),
  ConfirmPassword: Type.String({ format: 'password', description: 'The same value as `Password`.' }),
};

export const PasswordHash = Type.String({
  description:
    'A hash from another system, instead of `Password` and `ConfirmPassword`: argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity.',
});

export const absent = Type.Optional(Type.Null());
const newUser = {
  Username: Type.String({ minLength: 1, maxLength: 128 }),
  ...requestSchemas(userFields),
  ID: absent,
  Operation: optional(Type.Literal('register')),
};

const Registration = named('Registration', strictObject({ ...newUser, ...passwords, PasswordHash: absent }));
const Import = named(
  'RegistrationWithHash',
  strictObject({
    ...newUser,
    PasswordHash,
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
const longSentence = 'una frase lunga';
const newSentence = 'una frase nuova';

export const failedRecordFields = {
  FieldErrors: Type.Optional(
    Type.Unknown({
      description: 'Ignored. Present in failed records, which can be corrected and sent again.',
    }),
  ),
  Position: Type.Optional(Type.Unknown({ description: 'Ignored, as `FieldErrors`.' })),
};

const namedBy = {
  id: { ID: Id, Username: absent },
  username: { ID: absent, Username: newUser.Username },
};
const byEither = <Properties extends Record<string, TSchema>>(properties: Properties) =>
  Type.Union([
    strictObject({ ...namedBy.id, ...properties }),
    strictObject({ ...namedBy.username, ...properties }),
  ]);

const operation = (name: string) => Type.Literal(name);
const Reset = named(
  'Reset',
  strictObject({ ID: Id, ...passwords, CurrentPassword, ...noName, Operation: absent }),
);
const ExplicitReset = named(
  'ExplicitReset',
  Type.Union(
    [
      byEither({ Operation: operation('reset'), ...passwords, PasswordHash: absent }),
      byEither({
        Operation: operation('reset'),
        PasswordHash,
        Password: absent,
        ConfirmPassword: absent,
      }),
    ],
    { description: 'A password reset of a user that is named by its `ID` or `Username`.' },
  ),
);
const Edit = named(
  'Edit',
  Type.Union(
    byEither({
      Operation: operation('edit'),
      NewUsername: optional(newUser.Username),
      ...editSchemas(userFields),
      State: optional(State),
    }).anyOf,
    { description: 'New values of a user. A field that is absent keeps its value; an empty text clears it.' },
  ),
);
const Deletion = named(
  'Deletion',
  Type.Union(byEither({ Operation: operation('delete') }).anyOf, { description: 'A user to delete.' }),
);

const { ExternalKey, ...editablePrincipalFields } = principalFields;
const externalKey = Type.String({
  minLength: 1,
  maxLength: ExternalKey.maxLength,
  description: 'The external key of the principal, instead of `ID`.',
});
const byIdOrKey = <Properties extends Record<string, TSchema>>(properties: Properties, more = {}) => [
  strictObject({ ID: Id, ExternalKey: absent, ...properties }, more),
  strictObject({ ID: absent, ExternalKey: externalKey, ...properties }, more),
];

const editedPrincipal = {
  ...editSchemas(editablePrincipalFields),
  NewExternalKey: optional(
    Type.String({
      maxLength: ExternalKey.maxLength,
      description: 'The new external key of the principal. An empty text removes it.',
    }),
  ),
  State: optional(State),
  ...failedRecordFields,
};
const updatedUsers = Type.Array(Type.Union([Registration, Import, Reset, ExplicitReset, Edit, Deletion]), {
  minItems: 1,
});
const UpdateRecord = named(
  'UpdateRecord',
  Type.Union(
    [
      ...byIdOrKey({ Users: updatedUsers, ...editedPrincipal }),
      ...byIdOrKey({ Users: absent, ...editedPrincipal }, { minProperties: 2 }),
    ],
    {
      description:
        'A principal, with users to register, edit or delete, passwords to reset, and new values of its fields. `Users` may be absent if there is another value.',
    },
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
    [
      {
        ID: 1,
        Denomination: 'Rossi SpA',
        Users: [{ Operation: 'edit', Username: 'mario.rossi', Email: 'mario@example.com' }],
      },
    ],
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

const UserState = named(
  'UserState',
  Type.Union(byEither({ State }).anyOf, { description: 'The new state of a user.' }),
);
const StateRecord = named(
  'StateRecord',
  Type.Union(
    byIdOrKey({
      State: optional(State),
      Users: optional(Type.Array(UserState)),
      ...failedRecordFields,
    }),
    { description: 'The new state of a principal, of some of its users, or both.' },
  ),
);
export const StateBody = Type.Array(StateRecord, {
  minItems: 1,
  examples: [[{ ID: 1, State: 'disabled', Users: [{ ID: 7, State: 'active' }] }]],
});

const DeletedUser = named(
  'DeletedUser',
  Type.Union(byEither({}).anyOf, { description: 'A user to delete.' }),
);
const DeleteRecord = named(
  'DeleteRecord',
  Type.Union(
    byIdOrKey({ Users: optional(Type.Array(DeletedUser, { minItems: 1 })), ...failedRecordFields }),
    {
      description:
        'A principal to delete with all of its users or, with `Users`, the users of the principal to delete.',
    },
  ),
);
export const DeleteBody = Type.Array(DeleteRecord, {
  minItems: 1,
  examples: [[{ ID: 1, Users: [{ Username: 'mario.rossi' }] }], [{ ExternalKey: 'C-1' }]],
});
