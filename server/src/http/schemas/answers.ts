import { type TSchema, Type } from 'typebox';
import { type Code, codes } from '../../lib/error-codes.ts';
import { appliedExample, errorExample, refusedExample, tuplesExample } from './examples.ts';
import { Id, named, nullable, Operation, State, strictObject } from './named.ts';

const errorCodes = (Object.keys(codes) as Code[]).filter((code) => codes[code] !== 'note');
export const Moment = Type.String({ format: 'date-time' });
export const Text = nullable(Type.String());
export const Count = Type.Integer({ minimum: 0 });
const count = (description: string) => Type.Integer({ minimum: 0, description });
export const ErrorCode = named('ErrorCode', Type.String({ enum: errorCodes }));

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

const User = named('User', strictObject(user, { description: 'An account of a principal' }));
const UserOfPrincipal = named(
  'UserOfPrincipal',
  strictObject(
    { ...user, IRID: { ...Id, description: 'of its principal' } as TSchema },
    { description: 'An account, with the ID of its principal' },
  ),
);

const Principal = named(
  'Principal',
  strictObject(
    {
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
    },
    { description: 'A customer or a company, with its users' },
  ),
);

const AppliedUser = named(
  'AppliedUser',
  strictObject(
    {
      ID: Id,
      Username: Text,
      Email: Text,
      Operation: Type.String({ enum: ['register', 'reset', 'state'] }),
    },
    {
      description:
        'A user that was written, and what was done to it. Username and Email of a user that existed before are null where the caller does not have the scope `sync:read`.',
    },
  ),
);

export const ErrorDetail = named('Fault', strictObject({ code: ErrorCode, message: Type.String() }));

export const Tuple = named(
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

export function page(name: string, item: TSchema, record: TSchema = Type.Null()): TSchema {
  const result = strictObject({
    totalCount: Count,
    totalPages: Count,
    page: Type.Integer({ minimum: 1 }),
    count: Count,
    records: Type.Array(item),
    record,
  });
  return named(name, envelope(result));
}

/** The actor of a change, with time and origin. */
export const actorFields = {
  At: Moment,
  Actor: Type.String({ enum: ['client', 'console', 'user', 'protected', 'operator', 'service'] }),
  ClientID: nullable(Id),
  UserID: nullable(Id),
  Address: Text,
  RequestId: Text,
  CallID: nullable(Type.String({ format: 'uuid' })),
};

/** The envelope of a single object, with an empty list. */
export const recordPage = (name: string, record: TSchema) => page(name, Type.Never(), record);

const Estimate = named(
  'Estimate',
  strictObject(
    {
      Register: count('how many users would be registered'),
      Reset: count('how many passwords would be reset'),
      RecordsFailed: count('how many records would not be applied'),
      EstimatedSeconds: Type.Number({ minimum: 0, description: 'how long it would take' }),
    },
    { description: 'what a dry run would do' },
  ),
);

const job = {
  ID: Type.String({ format: 'uuid' }),
  ClientID: nullable(Id),
  State: Type.String({ enum: ['queued', 'running', 'completed', 'cancelled'] }),
  Operation,
  Records: count('how many were sent'),
  RecordsDone: count('how many have their outcome, whatever it is'),
  RecordsFailed: count('how many of those were not applied'),
  Users: count('how many were sent'),
  UsersDone: count('the users of the records that are done'),
  UsersPerSecond: nullable(Type.Number({ minimum: 0 })),
  SubmittedAt: Moment,
  StartedAt: nullable(Moment),
  EndedAt: nullable(Type.String({ format: 'date-time', description: 'null while something is left to do' })),
  EstimatedEnd: nullable(Moment),
};
const Job = named('Job', strictObject(job, { description: 'A call that is done later' }));

/** Zero-based indexes in the request of the records whose tuples a page contains, in the order of the tuples. */
export const Positions = Type.Array(Count, {
  description:
    'which record of the call each tuple of `result.records` belongs to, from 0, as `Position` in the retry kit',
});
const JobWithTuples = named(
  'JobWithTuples',
  strictObject({ ...job, Positions }, { description: 'A job, beside a page of its tuples' }),
);

export const FailedRecord = named(
  'FailedRecord',
  Type.Object(
    { Position: Count, Faults: Type.Record(Type.String(), Type.Array(ErrorDetail)) },
    {
      description:
        'the record as it was sent, its secrets null, with its place in the call (from 0) and its faults',
      additionalProperties: true,
    },
  ),
);

const Login = named(
  'Login',
  strictObject(
    {
      IRID: Id,
      UserID: Id,
      Username: Type.String(),
      Denomination: Text,
      Surname: Text,
      Name: Text,
      Token: Type.String({ description: 'opaque; for the header `AccessToken`' }),
      RefreshToken: Type.String({ description: 'good for one exchange' }),
      TokenExpiration: Moment,
    },
    { description: 'Of a user who has signed in' },
  ),
);

const Tuples = page('TuplesEnvelope', Tuple, nullable(Estimate));
const JobAlone = page('JobEnvelope', Tuple, Job);
const JobTuples = page('JobTuplesEnvelope', Tuple, JobWithTuples);
const Jobs = page('JobsEnvelope', Job);
const Principals = page('PrincipalsEnvelope', Principal);
const Users = page('UsersEnvelope', UserOfPrincipal);
const LoginAnswer = page('LoginEnvelope', Type.Never(), Login);
export const Empty = page('EmptyEnvelope', Type.Never());
export const ApiError = named('RefusalEnvelope', envelope(Type.Null()));

export const answer = (description: string, schema: TSchema, example?: unknown) => ({
  description,
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
});

export const errorAnswers = {
  400: answer('The body or a parameter cannot be understood', ApiError, errorExample(400, 'INVALID_JSON')),
  401: answer('No valid credential', ApiError, errorExample(401, 'UNAUTHENTICATED')),
  403: answer('The credential lacks the scope', ApiError, errorExample(403, 'FORBIDDEN')),
  413: answer('Too large', ApiError, errorExample(413, 'BODY_TOO_LARGE')),
  415: answer('Not JSON', ApiError, errorExample(415, 'UNSUPPORTED_MEDIA_TYPE')),
  429: answer('Over the rate of the client; see Retry-After', ApiError, errorExample(429, 'RATE_LIMITED')),
  500: answer('A fault of the service', ApiError, errorExample(500, 'INTERNAL')),
  503: answer(
    'Over the capacity of the service, or its database is away; see Retry-After',
    ApiError,
    errorExample(503, 'OVERLOADED'),
  ),
};

export const writeAnswers = {
  200: answer('Every record was applied', Tuples, tuplesExample(200, [appliedExample])),
  207: answer(
    'Some records were applied; the tuples tell which',
    Tuples,
    tuplesExample(207, [appliedExample, refusedExample]),
  ),
  202: answer('Taken as a job; see Location', JobAlone),
  409: answer(
    'A call with this Idempotency-Key is being worked on; see Retry-After',
    ApiError,
    errorExample(409, 'IDEMPOTENCY_IN_PROGRESS'),
  ),
  422: answer(
    'No record was applied, and the tuples tell why; or the Idempotency-Key belongs to another call',
    Type.Union([Tuples, ApiError]),
    tuplesExample(422, [refusedExample]),
  ),
  ...errorAnswers,
};

const jobRefusals = {
  ...errorAnswers,
  404: answer('There is no such job', ApiError, errorExample(404, 'JOB_NOT_FOUND')),
};
export const jobsAnswers = { 200: answer('A page of jobs', Jobs), ...errorAnswers };
export const jobAnswers = { 200: answer('The job, and a page of its tuples', JobTuples), ...jobRefusals };
export const cancelledAnswers = { 200: answer('The job', JobAlone), ...jobRefusals };
export const failedAnswers = {
  200: answer('The failed records', Type.Array(FailedRecord)),
  ...jobRefusals,
};
const { 403: _forbidden, ...openRefusals } = errorAnswers;
export const loginAnswers = {
  200: answer('Signed in', LoginAnswer),
  ...openRefusals,
  401: answer('Not signed in', ApiError, errorExample(401, 'UNAUTHENTICATED')),
  429: answer('Too many wrong passwords; see Retry-After', ApiError, errorExample(429, 'RATE_LIMITED')),
};
export const logoutAnswers = { 200: answer('Signed out', Empty), ...openRefusals };
export const principalAnswers = { 200: answer('A page of principals', Principals), ...errorAnswers };
export const userAnswers = { 200: answer('A page of users', Users), ...errorAnswers };
