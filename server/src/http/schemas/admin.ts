import { type TSchema, Type } from 'typebox';
import { chainFaults } from '../../core/journal/chain.ts';
import {
  answer,
  Count,
  ErrorCode,
  FailedRecord,
  Fault,
  Moment,
  Positions,
  page,
  Refusal,
  refusals,
  Text,
  Tuple,
} from './answers.ts';
import { refusalExample } from './examples.ts';
import { Id, named, nullable, Operation, strictObject } from './named.ts';
import { debug, order, paging } from './requests.ts';

const author = {
  At: Moment,
  Actor: Type.String({ enum: ['client', 'console', 'user', 'protected', 'operator', 'service'] }),
  ClientID: nullable(Id),
  UserID: nullable(Id),
  Address: Text,
  RequestId: Text,
  CallID: nullable(Type.String({ format: 'uuid' })),
};

const completedCall = {
  ...author,
  Operation,
  Records: Count,
  RecordsFailed: Count,
  Users: Count,
  UsersApplied: Count,
  Milliseconds: Count,
};
const CompletedCall = named('CompletedCall', strictObject(completedCall));
const CallWithTuples = named(
  'CallWithTuples',
  strictObject({ ...completedCall, Positions }, { description: 'A call, beside a page of its tuples' }),
);

const FailureItem = named(
  'Failure',
  strictObject({
    At: Moment,
    CallID: Type.String({ format: 'uuid' }),
    JobID: nullable(Type.String({ format: 'uuid', description: 'the same, where the call is a job' })),
    Operation,
    ClientID: nullable(Id),
    Position: Type.Integer({ minimum: 0, description: 'of the record in the call' }),
    ID: nullable(Type.Integer({ description: 'the ID of the principal' })),
    Code: ErrorCode,
    Message: Type.String(),
    Faults: Type.Record(Type.String(), Type.Array(Fault), { description: 'those of the first 20 places' }),
    FaultsCount: Type.Integer({ minimum: 0, description: 'how many places have faults' }),
  }),
);

const Position = Type.Integer({ minimum: 1 });
const Ids = nullable(Type.Array(Id));
const JournalRow = named(
  'JournalRow',
  strictObject({
    Position,
    ID: Id,
    ...author,
    Action: Type.String(),
    IRID: nullable(Id),
    Registered: Ids,
    Reset: Ids,
    Details: nullable(Type.Record(Type.String(), Type.Unknown())),
    Seal: Type.String({ description: 'over the row and the seal before it, in hexadecimal digits' }),
  }),
);
const JournalFeed = named(
  'JournalFeed',
  strictObject({
    After: Type.Integer({ minimum: 0, description: 'what to give as `after` to read on' }),
    More: Type.Boolean({ description: 'whether there is more at once' }),
  }),
);

const Verdict = named(
  'Verdict',
  strictObject({
    Sound: Type.Boolean(),
    Rows: Type.Integer({ minimum: 0, description: 'how many rows hold, from the beginning on' }),
    Position: nullable(Type.Integer({ description: 'the first place where the journal does not hold' })),
    Fault: nullable(Type.String({ enum: [...chainFaults] })),
    LastPosition: nullable(Count),
    LastSeal: Text,
  }),
);

const Span = named(
  'Span',
  strictObject(
    {
      Start: Moment,
      Calls: Count,
      Jobs: Count,
      RecordsFailed: Count,
      PrincipalsInserted: Count,
      UsersRegistered: Count,
      PasswordsReset: Count,
    },
    { description: 'What was done in an hour or on a day' },
  ),
);
const Hashing = named(
  'Hashing',
  strictObject({
    WaitingInteractive: Count,
    WaitingBulk: Count,
    Running: Count,
    HashesPerSecond: Type.Number({ minimum: 0, description: 'made in the last ten seconds' }),
    Capacity: Type.Number({ minimum: 0, description: 'hashes per second that this node could make' }),
  }),
);
const Statistics = named(
  'Statistics',
  strictObject({
    Principals: Count,
    Users: Count,
    Sessions: Count,
    UnsealedRows: Count,
    JobsQueued: Count,
    JobsRunning: Count,
    Hours: Type.Array(Span),
    Days: Type.Array(Span),
    Hashing,
  }),
);

export const CompletedCallQuery = Type.Object({
  ...paging,
  failed: Type.Optional(Type.Boolean({ description: 'only calls with failed records' })),
  ...debug,
});
export const AuditQuery = Type.Object({
  ...order,
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'the position that was read last; without it, from the first one in the order',
    }),
  ),
  principal: Type.Optional({ ...Id, description: 'only what was done to this principal' } as TSchema),
  reads: Type.Optional(
    Type.Boolean({ default: true, description: 'whether rows of those who have only read are among them' }),
  ),
  pageSize: paging.pageSize,
  ...debug,
});

export const about = (name: string, record: TSchema) => page(name, Type.Never(), record);

export const completedCallsAnswers = {
  200: answer('A page of calls', page('CompletedCallsEnvelope', CompletedCall)),
  ...refusals,
};
export const failuresAnswers = {
  200: answer('A page of records that were not applied', page('FailuresEnvelope', FailureItem)),
  ...refusals,
};
const noCall = {
  ...refusals,
  404: answer('There is no such call', Refusal, refusalExample(404, 'CALL_NOT_FOUND')),
};
export const completedCallAnswers = {
  200: answer('The call, and a page of its tuples', page('CompletedCallEnvelope', Tuple, CallWithTuples)),
  ...noCall,
};
export const callFailedAnswers = {
  200: answer('The failed records', Type.Array(FailedRecord)),
  ...noCall,
};
export const auditAnswers = {
  200: answer('Rows of the journal, in order', page('AuditEnvelope', JournalRow, JournalFeed)),
  ...refusals,
};
export const verdictAnswers = {
  200: answer('What was found', about('VerdictEnvelope', Verdict)),
  ...refusals,
};
export const statisticsAnswers = {
  200: answer('The statistics', about('StatisticsEnvelope', Statistics)),
  ...refusals,
};
