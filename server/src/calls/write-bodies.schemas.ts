import { type TSchema, Type } from 'typebox';
import { Id, named, oneOf, optional, State, strictObject } from '../http/schemas.ts';
import { absentSchemas, editSchemas, requestSchemas } from '../records/fields/fields.schemas.ts';
import {
  editablePrincipalFields,
  principalFields,
  shownStates,
  userFields,
} from '../records/fields/fields.ts';
import { inviteChannels } from '../records/parse/new-password.ts';

// The bodies describe the records of a call. `records/` reads the records, each with all of its field errors. The fields
// come from the table of fields; here is what only one kind of record has.

type Properties = Readonly<Record<string, TSchema>>;

const absent = Type.Optional(Type.Null());
const username = Type.String({ minLength: 1, maxLength: 128 });
const newPassword = {
  Password: Type.String({
    format: 'password',
    description: 'The password: 8 to 128 characters, not a common password.',
  }),
  ConfirmPassword: Type.String({ format: 'password', description: 'The same value as `Password`.' }),
};
const PasswordHash = Type.String({
  description:
    'A hash from another system, instead of `Password` and `ConfirmPassword`: argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity.',
});
const MustChangePassword = optional(
  Type.Boolean({ description: 'True: after the next sign-in the user can only change its password.' }),
);
const Invite = oneOf(inviteChannels, {
  description:
    'Instead of a password: the user gets a code with which it chooses one, by mail (`email`) or from the caller (`code`). Until then it is `invited`.',
});
const CurrentPassword = optional(
  Type.String({
    format: 'password',
    description: 'The current password. Required if a signed-in user changes its own password.',
  }),
);
const withPassword = { ...newPassword, PasswordHash: absent, MustChangePassword };
const withHash = { PasswordHash, Password: absent, ConfirmPassword: absent, MustChangePassword };
const withInvite = { Invite, PasswordHash: absent, Password: absent, ConfirmPassword: absent };

/** The fields that the service adds to failed records. */
const ignored = {
  FieldErrors: Type.Optional(
    Type.Unknown({
      description: 'Ignored. Present in failed records, which can be corrected and sent again.',
    }),
  ),
  Position: Type.Optional(Type.Unknown({ description: 'Ignored, as `FieldErrors`.' })),
};

const Similar = optional(
  Type.Literal('allow', {
    description:
      'Inserts the principal even if it looks like another one. Without effect unless the call has `similar=refuse`.',
  }),
);

/** Returns the two forms of a user that is named by its ID or its username. */
function namedUser(properties: Properties): TSchema[] {
  return [
    strictObject({ ID: Id, Username: absent, ...properties }),
    strictObject({ ID: absent, Username: username, ...properties }),
  ];
}

const externalKey = (description: string) =>
  Type.String({ minLength: 1, maxLength: principalFields.ExternalKey.maxLength, description });
const existingKey = externalKey('The external key of the principal, instead of `ID`.');
const insertedKey = externalKey('The external key of the principal, which is inserted if there is none.');

/** Returns the two forms of a principal that is named by its ID or its external key. */
function namedPrincipal(properties: Properties, more = {}): TSchema[] {
  return [
    strictObject({ ID: Id, ExternalKey: absent, ...properties, ...ignored }, more),
    strictObject({ ID: absent, ExternalKey: existingKey, ...properties, ...ignored }, more),
  ];
}

function oneOfForms(name: string, description: string, forms: TSchema[]): TSchema {
  return named(name, Type.Union(forms, { description }));
}

function list(record: TSchema, examples: readonly unknown[]) {
  return Type.Array(record, { minItems: 1, examples });
}

// Users.

const newUser = {
  Username: username,
  ...requestSchemas(userFields),
  ID: absent,
  Operation: optional(Type.Literal('register')),
};
const newUsers = [
  named('Registration', strictObject({ ...newUser, ...withPassword, Invite: absent })),
  named('RegistrationWithHash', strictObject({ ...newUser, ...withHash, Invite: absent })),
  named('InvitedRegistration', strictObject({ ...newUser, ...withInvite, MustChangePassword: absent })),
];
const withoutFields = { Username: absent, ...absentSchemas(userFields), PasswordHash: absent };
const Reset = named(
  'Reset',
  strictObject({
    ID: Id,
    ...newPassword,
    CurrentPassword,
    ...withoutFields,
    MustChangePassword,
    Operation: absent,
  }),
);
const ExplicitReset = oneOfForms(
  'ExplicitReset',
  'A password reset of a user that is named by its `ID` or `Username`.',
  [withPassword, withHash].map((password) =>
    Type.Union(namedUser({ Operation: Type.Literal('reset'), ...password })),
  ),
);
const Edit = oneOfForms(
  'Edit',
  'New values of a user. A field that is absent keeps its value; an empty text clears it.',
  namedUser({
    Operation: Type.Literal('edit'),
    NewUsername: optional(username),
    ...editSchemas(userFields),
    State: optional(State),
    MustChangePassword,
  }),
);
const Deletion = oneOfForms(
  'Deletion',
  'A user to delete.',
  namedUser({ Operation: Type.Literal('delete') }),
);
const Move = oneOfForms(
  'Move',
  'A user of another principal, which moves to the principal of the record with its ID and password. Its sessions end.',
  namedUser({ Operation: Type.Literal('move') }),
);
const UserState = oneOfForms('UserState', 'The new state of a user.', namedUser({ State }));
const invitation = { Invite: optional(oneOf(inviteChannels)) };
const InvitedUser = oneOfForms('InvitedUser', 'A user to invite.', namedUser(invitation));
const DeletedUser = oneOfForms('DeletedUser', 'A user to delete.', namedUser({}));
const UpsertUser = named(
  'UpsertUser',
  strictObject(
    {
      Username: username,
      ...editSchemas(userFields),
      State: optional(
        oneOf(shownStates, { description: '`invited`, which exports have, means the same as `active`.' }),
      ),
      Password: optional(newPassword.Password),
      ConfirmPassword: optional(newPassword.ConfirmPassword),
      PasswordHash: optional(PasswordHash),
      Invite: optional(Invite),
      MustChangePassword,
    },
    {
      description:
        'A user of the principal, found by its `Username`. A new user needs a password, a hash or `Invite`, which are ignored for an existing user; with `passwords=overwrite` its password is set.',
    },
  ),
);

// Records.

const edited = {
  ...editSchemas(editablePrincipalFields),
  NewExternalKey: optional(
    Type.String({
      maxLength: principalFields.ExternalKey.maxLength,
      description: 'The new external key of the principal. An empty text removes it.',
    }),
  ),
  State: optional(State),
};
const updatedUsers = Type.Array(Type.Union([...newUsers, Reset, ExplicitReset, Edit, Deletion, Move]), {
  minItems: 1,
});
const UpdateRecord = oneOfForms(
  'UpdateRecord',
  'A principal, with users to register, edit, move or delete, passwords to reset, and new values of its fields. `Users` may be absent if there is another value.',
  [
    ...namedPrincipal({ Users: updatedUsers, ...edited }),
    ...namedPrincipal({ Users: absent, ...edited }, { minProperties: 2 }),
  ],
);
const InsertRecord = named(
  'InsertRecord',
  strictObject(
    {
      ...requestSchemas(principalFields),
      Users: optional(Type.Array(Type.Union(newUsers))),
      Similar,
      ...ignored,
    },
    { minProperties: 1, description: 'A principal to create, with or without users.' },
  ),
);
const StateRecord = oneOfForms(
  'StateRecord',
  'The new state of a principal, of some of its users, or both.',
  namedPrincipal({ State: optional(State), Users: optional(Type.Array(UserState)) }),
);
const InviteRecord = oneOfForms(
  'InviteRecord',
  'A principal with users to invite. `Invite` is the default for `Users`; without `Users` all invited users of the principal get another code.',
  namedPrincipal({ ...invitation, Users: optional(Type.Array(InvitedUser, { minItems: 1 })) }),
);
const DeleteRecord = oneOfForms(
  'DeleteRecord',
  'A principal to delete with all of its users or, with `Users`, the users of the principal to delete.',
  namedPrincipal({ Users: optional(Type.Array(DeletedUser, { minItems: 1 })) }),
);
const MergeRecord = oneOfForms(
  'MergeRecord',
  'A principal, and the one that is merged into it.',
  namedPrincipal({
    From: Type.Union(
      [strictObject({ ID: Id, ExternalKey: absent }), strictObject({ ID: absent, ExternalKey: existingKey })],
      { description: 'The principal that is merged, and then deleted.' },
    ),
  }),
);
const upserted = {
  ...editSchemas(editablePrincipalFields),
  State: optional(State),
  Users: optional(
    Type.Array(UpsertUser, { description: 'Absent: the users of the principal stay as they are.' }),
  ),
  Similar,
  ...ignored,
};
const UpsertRecord = oneOfForms(
  'UpsertRecord',
  'A principal with its users. An absent field is left alone; an empty text clears it.',
  [
    strictObject({ ExternalKey: insertedKey, ID: absent, ...upserted }),
    strictObject({ ID: Id, ExternalKey: absent, ...upserted }),
  ],
);

// Bodies.

const samePassword = (text: string) => ({ Password: text, ConfirmPassword: text });
const longPassword = samePassword('una frase lunga');

export const UpdateBody = list(UpdateRecord, [
  [{ ID: 1, Users: [{ Username: 'mario.rossi', ...longPassword }] }],
  [{ ID: 1, Users: [{ ID: 1, ...samePassword('una frase nuova') }] }],
  [
    {
      ID: 1,
      Denomination: 'Rossi SpA',
      Users: [{ Operation: 'edit', Username: 'mario.rossi', Email: 'mario@example.com' }],
    },
  ],
]);
export const InsertBody = list(InsertRecord, [
  [{ ExternalKey: 'C-1', Denomination: 'Rossi Srl', Vatnumber: 'IT01234567890' }],
]);
export const StateBody = list(StateRecord, [
  [{ ID: 1, State: 'disabled', Users: [{ ID: 7, State: 'active' }] }],
]);
export const InviteBody = list(InviteRecord, [
  [{ ID: 1, Users: [{ Username: 'mario.rossi', Invite: 'code' }] }],
  [{ ExternalKey: 'C-1', Invite: 'email' }],
]);
export const DeleteBody = list(DeleteRecord, [
  [{ ID: 1, Users: [{ Username: 'mario.rossi' }] }],
  [{ ExternalKey: 'C-1' }],
]);
export const MergeBody = list(MergeRecord, [[{ ID: 1, From: { ExternalKey: 'C-2' } }]]);
export const UpsertBody = list(UpsertRecord, [
  [
    {
      ExternalKey: 'C-2',
      Denomination: 'Bianchi Srl',
      Users: [{ Username: 'anna.bianchi', Email: 'anna@example.com', ...longPassword }],
    },
  ],
]);
