import { type TSchema, Type } from 'typebox';
import { orders } from '../../lib/paging.ts';
import { example, Id, named, nullable, State, strictObject } from './named.ts';

const text = (maxLength: number, description?: string) =>
  Type.Optional(nullable(Type.String({ minLength: 1, maxLength, ...(description && { description }) })));

const passwords = {
  Password: Type.String({ format: 'password', description: '8 to 128 characters, none of the common ones' }),
  ConfirmPassword: Type.String({ format: 'password', description: 'the same as Password' }),
};

const absent = Type.Optional(Type.Null());
const newUser = {
  Username: Type.String({ minLength: 1, maxLength: 128 }),
  Email: text(254),
  ID: absent,
};

const Registration = named('Registration', strictObject({ ...newUser, ...passwords, PasswordHash: absent }));
const Import = named(
  'RegistrationWithHash',
  strictObject({
    ...newUser,
    PasswordHash: Type.String({
      description:
        'argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity, in place of the password',
    }),
    Password: absent,
    ConfirmPassword: absent,
  }),
);

const CurrentPassword = Type.Optional(
  nullable(
    Type.String({ format: 'password', description: 'of a signed-in user who resets its own password' }),
  ),
);
const noName = { Username: absent, Email: absent, PasswordHash: absent };
const Reset = named('Reset', strictObject({ ID: Id, ...passwords, CurrentPassword, ...noName }));

const longSentence = 'una frase lunga';
const newSentence = 'una frase nuova';

const failedRecordFields = {
  Faults: Type.Optional(Type.Unknown({ description: 'of a failed record that is sent again; passed over' })),
  Position: Type.Optional(Type.Unknown({ description: 'the same' })),
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
        ExternalKey: Type.String({ minLength: 1, maxLength: 128, description: 'in place of the ID' }),
        ...updatedUsers,
      }),
    ],
    { description: 'Users to register under a principal, and passwords of its users to reset' },
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
      ExternalKey: text(128),
      Denomination: text(255),
      Surname: text(255),
      Name: text(255),
      Vatnumber: text(64),
      Taxcode: text(64),
      Email: text(254),
      Users: Type.Optional(nullable(Type.Array(Type.Union([Registration, Import])))),
      ...failedRecordFields,
    },
    { minProperties: 1, description: 'A principal to create' },
  ),
);
export const InsertBody = Type.Array(InsertRecord, {
  minItems: 1,
  examples: [[{ ExternalKey: 'C-1', Denomination: 'Rossi Srl', Vatnumber: 'IT01234567890' }]],
});

export const LoginBody = example(
  named(
    'Credentials',
    strictObject({
      Username: Type.String(),
      Password: Type.String({ format: 'password' }),
      Address: Type.Optional(
        nullable(
          Type.String({
            description: 'The IP address of the user. Only an API client may pass it on.',
          }),
        ),
      ),
    }),
  ),
  { Username: 'mario.rossi', Password: longSentence },
);
export const RefreshBody = strictObject({ RefreshToken: Type.String({ format: 'password' }) });

const UserState = named('UserState', strictObject({ ID: Id, State }));
const StateRecord = named(
  'StateRecord',
  strictObject(
    {
      ID: Id,
      State: Type.Optional(nullable(State)),
      Users: Type.Optional(nullable(Type.Array(UserState))),
      ...failedRecordFields,
    },
    { description: 'The state of a principal, of some of its users, or of both' },
  ),
);
export const StateBody = Type.Array(StateRecord, {
  minItems: 1,
  examples: [[{ ID: 1, State: 'disabled', Users: [{ ID: 7, State: 'active' }] }]],
});

const listing = {
  Page: Type.Optional(nullable(Type.Integer({ minimum: 1, default: 1 }))),
  PageSize: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1000, default: 100 }))),
  Date: Type.Optional(
    nullable(Type.String({ description: 'what changed since: 2026-01-31 or 2026-01-31T08:00:00Z' })),
  ),
  ID: Type.Optional(nullable({ ...Id, description: 'of one principal' } as TSchema)),
  ExternalKey: text(128, 'of one principal'),
  Search: text(200, 'what words of the texts, or the username, begin with'),
};

const usersShown = Type.Integer({
  minimum: 0,
  maximum: 1000,
  default: 1000,
  description: 'how many users of a principal stand in it',
});
export const PrincipalListing = example(
  named('PrincipalFilter', strictObject({ ...listing, UsersShown: Type.Optional(nullable(usersShown)) })),
  { Page: 1, PageSize: 100 },
);
const usernames = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
  minItems: 1,
  maxItems: 100,
  description: 'of several users, in place of Username',
});
export const UserListing = example(
  named(
    'UserFilter',
    strictObject({
      ...listing,
      Username: text(128, 'of one user'),
      Usernames: Type.Optional(nullable(usernames)),
    }),
  ),
  {
    Username: 'mario.rossi',
  },
);

export const debug = { debug: Type.Optional(Type.Boolean({ description: 'fills `debug` of the answer' })) };
export const paging = {
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
};

export const CallQuery = Type.Object(debug);
export const PageQuery = Type.Object({ ...paging, ...debug });
export const JobQuery = Type.Object({
  ...paging,
  failed: Type.Optional(Type.Boolean({ description: 'only the tuples of failed records' })),
  ...debug,
});
export const AllJobsQuery = Type.Object({
  ...paging,
  open: Type.Optional(Type.Boolean({ description: 'only jobs that have not ended' })),
  failed: Type.Optional(Type.Boolean({ description: 'only jobs with failed records' })),
  ...debug,
});
export const WriteQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Boolean({ description: 'makes every check and does nothing; `result.record` is the estimate' }),
  ),
  ...debug,
});
export const order = {
  order: Type.Optional(
    Type.String({ enum: [...orders], default: 'oldest', description: 'which one comes first' }),
  ),
};
export const EventQuery = Type.Object({
  ...order,
  after: Type.Optional(
    Type.String({
      description: 'the id of the event that was read last; without it, from the first one in the order',
    }),
  ),
  pageSize: paging.pageSize,
  ...debug,
});
export const JobId = Type.Object({ id: Type.String({ format: 'uuid' }) });

const language = { 'Accept-Language': Type.Optional(Type.String({ description: 'en or it' })) };

export const CallHeaders = Type.Object(language);
export const JobHeaders = Type.Object({
  ...language,
  Prefer: Type.Optional(
    Type.String({ description: '`return=representation` fills `Item6` of applied records' }),
  ),
});
export const WriteHeaders = Type.Object({
  ...language,
  Prefer: Type.Optional(
    Type.String({
      description:
        '`respond-async` takes the call as a job; `return=representation` fills `Item6` of applied records',
    }),
  ),
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the same call with the same key is done once, and answered the same again',
    }),
  ),
});
