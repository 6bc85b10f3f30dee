import { type TSchema, Type } from 'typebox';
import { codes } from '../core/codes.ts';

/**
 * The wire in the words of JSON Schema, for the OpenAPI document and its readers. Requests are not checked against
 * these: the core finds every fault of every record by place, which a schema validator cannot.
 */
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Moment = Type.String({ format: 'date-time' });
const Text = (maxLength: number) => nullable(Type.String({ minLength: 1, maxLength }));
const ErrorCode = Type.String({ enum: Object.keys(codes) });
const State = Type.String({ enum: ['active', 'disabled'] });

const passwords = {
  Password: Type.String({
    format: 'password',
    minLength: 1,
    description: '8 to 128 characters, none of the common ones',
  }),
  ConfirmPassword: Type.String({ format: 'password', minLength: 1, description: 'the same as Password' }),
};

const Registration = Type.Object(
  {
    Username: Type.String({ minLength: 1, maxLength: 128 }),
    Email: Type.Optional(nullable(Type.String({ format: 'email', maxLength: 254 }))),
    ...passwords,
  },
  { additionalProperties: false, title: 'Registration' },
);

const Reset = Type.Object({ ID: Id, ...passwords }, { additionalProperties: false, title: 'Password reset' });

export const UpdateBody = Type.Array(
  Type.Object(
    { ID: Id, Users: Type.Array(Type.Union([Registration, Reset]), { minItems: 1 }) },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    examples: [
      [
        {
          ID: 1,
          Users: [
            { Username: 'mario.rossi', Password: 'a long sentence', ConfirmPassword: 'a long sentence' },
          ],
        },
      ],
      [{ ID: 1, Users: [{ ID: 1, Password: 'another sentence', ConfirmPassword: 'another sentence' }] }],
    ],
  },
);

export const InsertBody = Type.Array(
  Type.Object(
    {
      ExternalKey: Type.Optional(Text(128)),
      Denomination: Type.Optional(Text(255)),
      Surname: Type.Optional(Text(255)),
      Name: Type.Optional(Text(255)),
      Vatnumber: Type.Optional(Text(64)),
      Taxcode: Type.Optional(Text(64)),
      Email: Type.Optional(Text(254)),
      Users: Type.Optional(nullable(Type.Array(Registration))),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  {
    minItems: 1,
    examples: [[{ ExternalKey: 'C-1', Denomination: 'Rossi Srl', Vatnumber: 'IT01234567890' }]],
  },
);

const listing = {
  Page: Type.Optional(nullable(Type.Integer({ minimum: 1, default: 1 }))),
  PageSize: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1000, default: 100 }))),
  Date: Type.Optional(
    nullable(Type.String({ description: 'what changed since: 2026-01-31 or 2026-01-31T08:00:00Z' })),
  ),
  ID: Type.Optional(nullable(Id)),
  ExternalKey: Type.Optional(Text(128)),
  Search: Type.Optional(Text(200)),
};

export const PrincipalListing = Type.Object(listing, {
  additionalProperties: false,
  examples: [{ Page: 1, PageSize: 100 }],
});
export const UserListing = Type.Object(
  { ...listing, Username: Type.Optional(Text(128)) },
  { additionalProperties: false, examples: [{ Username: 'mario.rossi' }] },
);

const fields = { additionalProperties: false };

const ListedUser = Type.Object(
  {
    ID: Id,
    Username: Type.String(),
    Email: nullable(Type.String()),
    State,
    CreatedAt: Moment,
    UpdatedAt: Moment,
    PasswordChangedAt: Moment,
    LastLoginAt: nullable(Moment),
  },
  fields,
);

const ListedPrincipal = Type.Object(
  {
    ID: Id,
    ExternalKey: nullable(Type.String()),
    Denomination: nullable(Type.String()),
    Surname: nullable(Type.String()),
    Name: nullable(Type.String()),
    Vatnumber: nullable(Type.String()),
    Taxcode: nullable(Type.String()),
    Email: nullable(Type.String()),
    State,
    CreatedAt: Moment,
    UpdatedAt: Moment,
    UsersCount: Type.Integer({ minimum: 0 }),
    Users: Type.Array(ListedUser, { maxItems: 1000 }),
  },
  fields,
);

const UserWithPrincipal = Type.Object({ ...ListedUser.properties, IRID: Id }, fields);

const TupleSchema = Type.Object(
  {
    Item1: nullable(Type.Integer({ description: 'the ID of the principal' })),
    Item2: nullable(Type.String({ ...ErrorCode, description: 'why the record was refused' })),
    Item3: Type.Boolean({ description: 'whether the record was applied' }),
    Item4: nullable(Type.String({ description: 'the reason, for a person' })),
    Item5: Type.Record(
      Type.String(),
      Type.Array(Type.Object({ code: ErrorCode, message: Type.String() }, fields)),
      {
        description: 'every fault of the record, by place',
      },
    ),
    Item6: Type.Object(
      {
        Users: Type.Optional(
          Type.Array(
            Type.Object(
              {
                ID: Id,
                Username: Type.String(),
                Email: nullable(Type.String()),
                Operation: Type.String({ enum: ['register', 'reset'] }),
              },
              fields,
            ),
          ),
        ),
      },
      { ...fields, description: 'filled with Prefer: return=representation' },
    ),
  },
  { ...fields, title: 'Tuple' },
);

const DebugSchema = Type.Object(
  {
    RequestTime: Moment,
    ResponseTime: Moment,
    Duration: Type.Number(),
    ClientIP: Type.String(),
    RequestId: Type.String(),
  },
  fields,
);

function envelope(result: TSchema, description: string) {
  return Type.Object(
    {
      statusCode: Type.Integer(),
      errorCode: nullable(ErrorCode),
      message: nullable(Type.String()),
      result,
      debug: nullable(DebugSchema),
    },
    { ...fields, description },
  );
}

function results(item: TSchema, description: string) {
  const result = {
    totalCount: Type.Integer({ minimum: 0 }),
    totalPages: Type.Integer({ minimum: 0 }),
    page: Type.Integer({ minimum: 1 }),
    count: Type.Integer({ minimum: 0 }),
    records: Type.Array(item),
    record: Type.Null(),
  };
  return envelope(Type.Object(result, fields), description);
}

const refusals: Record<number, string> = {
  400: 'The body or a parameter cannot be understood',
  401: 'No valid credential',
  403: 'The credential lacks the scope',
  413: 'Too large',
  415: 'Not JSON',
  429: 'Over the rate of the client; see Retry-After',
  500: 'A fault of the service',
  503: 'Over the capacity of the service, or its database is away; see Retry-After',
};

const refused = Object.fromEntries(
  Object.entries(refusals).map(([status, description]) => [status, envelope(Type.Null(), description)]),
);

export const writeAnswers = {
  200: results(TupleSchema, 'Every record was applied'),
  207: results(TupleSchema, 'Some records were applied; the tuples tell which'),
  422: results(TupleSchema, 'No record was applied; the tuples tell why'),
  ...refused,
};
export const principalAnswers = { 200: results(ListedPrincipal, 'A page of principals'), ...refused };
export const userAnswers = { 200: results(UserWithPrincipal, 'A page of users'), ...refused };
