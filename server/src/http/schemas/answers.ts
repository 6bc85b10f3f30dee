import { type TSchema, Type } from 'typebox';
import { codes } from '../../core/codes.ts';
import { appliedExample, refusalExample, refusedExample, tuplesExample } from './examples.ts';
import { Id, named, nullable, strictObject } from './named.ts';

const Moment = Type.String({ format: 'date-time' });
const Text = nullable(Type.String());
const State = Type.String({ enum: ['active', 'disabled'] });
const Count = Type.Integer({ minimum: 0 });
const ErrorCode = named('ErrorCode', Type.String({ enum: Object.keys(codes) }));

const user = {
  ID: Id,
  Username: Type.String(),
  Email: Text,
  State,
  CreatedAt: Moment,
  UpdatedAt: Moment,
  PasswordChangedAt: Moment,
  LastLoginAt: nullable(Moment),
};

const User = named('User', strictObject(user));
const UserOfPrincipal = named('UserOfPrincipal', strictObject({ ...user, IRID: Id }));

const Principal = named(
  'Principal',
  strictObject({
    ID: Id,
    ExternalKey: Text,
    Denomination: Text,
    Surname: Text,
    Name: Text,
    Vatnumber: Text,
    Taxcode: Text,
    Email: Text,
    State,
    CreatedAt: Moment,
    UpdatedAt: Moment,
    UsersCount: Count,
    Users: Type.Array(User, { maxItems: 1000, description: 'the first 1,000' }),
  }),
);

const AppliedUser = named(
  'AppliedUser',
  strictObject({
    ID: Id,
    Username: Type.String(),
    Email: Text,
    Operation: Type.String({ enum: ['register', 'reset'] }),
  }),
);

const Fault = named('Fault', strictObject({ code: ErrorCode, message: Type.String() }));

const Tuple = named(
  'Tuple',
  strictObject({
    Item1: nullable(Type.Integer({ description: 'the ID of the principal' })),
    Item2: nullable(ErrorCode),
    Item3: Type.Boolean({ description: 'whether the record was applied' }),
    Item4: nullable(Type.String({ description: 'why it was not, for a person' })),
    Item5: Type.Record(Type.String(), Type.Array(Fault), {
      description: 'every fault of the record, by place',
    }),
    Item6: strictObject(
      { Users: Type.Optional(Type.Array(AppliedUser)) },
      { description: 'filled with Prefer: return=representation' },
    ),
  }),
);

const Debug = named(
  'Debug',
  strictObject({
    RequestTime: Moment,
    ResponseTime: Moment,
    Duration: Type.Number({ description: 'in milliseconds' }),
    ClientIP: Type.String(),
    RequestId: Type.String(),
  }),
);

function envelope(result: TSchema): TSchema {
  return strictObject({
    statusCode: Type.Integer(),
    errorCode: nullable(ErrorCode),
    message: Text,
    result,
    debug: nullable(Debug),
  });
}

function page(name: string, item: TSchema): TSchema {
  const result = strictObject({
    totalCount: Count,
    totalPages: Count,
    page: Type.Integer({ minimum: 1 }),
    count: Count,
    records: Type.Array(item),
    record: Type.Null(),
  });
  return named(name, envelope(result));
}

const Tuples = page('TuplesEnvelope', Tuple);
const Principals = page('PrincipalsEnvelope', Principal);
const Users = page('UsersEnvelope', UserOfPrincipal);
const Refusal = named('RefusalEnvelope', envelope(Type.Null()));

const answer = (description: string, schema: TSchema, example?: unknown) => ({
  description,
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
});

const refusals = {
  400: answer('The body or a parameter cannot be understood', Refusal, refusalExample(400, 'INVALID_JSON')),
  401: answer('No valid credential', Refusal, refusalExample(401, 'UNAUTHENTICATED')),
  403: answer('The credential lacks the scope', Refusal, refusalExample(403, 'FORBIDDEN')),
  413: answer('Too large', Refusal, refusalExample(413, 'BODY_TOO_LARGE')),
  415: answer('Not JSON', Refusal, refusalExample(415, 'UNSUPPORTED_MEDIA_TYPE')),
  429: answer('Over the rate of the client; see Retry-After', Refusal, refusalExample(429, 'RATE_LIMITED')),
  500: answer('A fault of the service', Refusal, refusalExample(500, 'INTERNAL')),
  503: answer(
    'Over the capacity of the service, or its database is away; see Retry-After',
    Refusal,
    refusalExample(503, 'OVERLOADED'),
  ),
};

export const writeAnswers = {
  200: answer('Every record was applied', Tuples, tuplesExample(200, [appliedExample])),
  207: answer(
    'Some records were applied; the tuples tell which',
    Tuples,
    tuplesExample(207, [appliedExample, refusedExample]),
  ),
  422: answer('No record was applied; the tuples tell why', Tuples, tuplesExample(422, [refusedExample])),
  ...refusals,
};
export const principalAnswers = { 200: answer('A page of principals', Principals), ...refusals };
export const userAnswers = { 200: answer('A page of users', Users), ...refusals };
