import { Type } from 'typebox';
import { Id, named, nullable, strictObject } from './named.ts';

const text = (maxLength: number) => Type.Optional(nullable(Type.String({ minLength: 1, maxLength })));

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

const ofFailed = {
  Faults: Type.Optional(Type.Unknown({ description: 'of a failed record that is sent again; passed over' })),
  Position: Type.Optional(Type.Unknown({ description: 'the same' })),
};

const updatedUsers = {
  Users: Type.Array(Type.Union([Registration, Import, Reset]), { minItems: 1 }),
  ...ofFailed,
};

export const UpdateBody = Type.Array(
  Type.Union([
    strictObject({ ID: Id, ExternalKey: absent, ...updatedUsers }),
    strictObject({
      ID: absent,
      ExternalKey: Type.String({ minLength: 1, maxLength: 128, description: 'in place of the ID' }),
      ...updatedUsers,
    }),
  ]),
  {
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
  },
);

export const InsertBody = Type.Array(
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
      ...ofFailed,
    },
    { minProperties: 1 },
  ),
  {
    minItems: 1,
    examples: [[{ ExternalKey: 'C-1', Denomination: 'Rossi Srl', Vatnumber: 'IT01234567890' }]],
  },
);

export const LoginBody = strictObject(
  { Username: Type.String(), Password: Type.String({ format: 'password' }) },
  { examples: [{ Username: 'mario.rossi', Password: longSentence }] },
);
export const RefreshBody = strictObject({ RefreshToken: Type.String({ format: 'password' }) });

const State = Type.Enum(['active', 'disabled']);

export const StateBody = Type.Array(
  strictObject({
    ID: Id,
    State: Type.Optional(nullable(State)),
    Users: Type.Optional(nullable(Type.Array(strictObject({ ID: Id, State })))),
    ...ofFailed,
  }),
  {
    minItems: 1,
    examples: [[{ ID: 1, State: 'disabled', Users: [{ ID: 7, State: 'active' }] }]],
  },
);

const listing = {
  Page: Type.Optional(nullable(Type.Integer({ minimum: 1, default: 1 }))),
  PageSize: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1000, default: 100 }))),
  Date: Type.Optional(
    nullable(Type.String({ description: 'what changed since: 2026-01-31 or 2026-01-31T08:00:00Z' })),
  ),
  ID: Type.Optional(nullable(Id)),
  ExternalKey: text(128),
  Search: text(200),
};

export const PrincipalListing = strictObject(listing, { examples: [{ Page: 1, PageSize: 100 }] });
export const UserListing = strictObject(
  {
    ...listing,
    Username: text(128),
    Usernames: Type.Optional(
      nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
          minItems: 1,
          maxItems: 100,
          description: 'in place of Username',
        }),
      ),
    ),
  },
  { examples: [{ Username: 'mario.rossi' }] },
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
export const WriteQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Boolean({ description: 'makes every check and does nothing; `result.record` is the estimate' }),
  ),
  ...debug,
});
export const EventQuery = Type.Object({
  after: Type.Optional(
    Type.String({ description: 'the id of the event that was read last; without it, from the beginning' }),
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
