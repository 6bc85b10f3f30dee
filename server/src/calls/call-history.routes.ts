import { Type } from 'typebox';
import type { AuditLog } from '../audit/audit-log.ts';
import {
  actorFields,
  answers,
  Count,
  count,
  ErrorCode,
  ErrorDetail,
  errorAnswer,
  Moment,
  page,
} from '../http/answer-schemas.ts';
import { pageEnvelope } from '../http/envelope.ts';
import { debugOf, languageOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  debug,
  flag,
  Id,
  named,
  nullable,
  Operation,
  PageQuery,
  paging,
  pathOf,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { sendFailedRecords } from '../jobs/failed-records.routes.ts';
import { TuplesQuery } from '../jobs/jobs.routes.ts';
import { translate } from '../lib/translate.ts';
import { FailedRecordSchema, Positions, TupleSchema } from '../records/read/tuple.schemas.ts';
import { fieldErrorsByPlace, positionsOf, tupleOf } from '../records/read/tuple.ts';
import type { CallHistory } from './call-history.store.ts';

export interface CallHistoryTools {
  readonly store: CallHistory;
  readonly auditLog: AuditLog;
}

/** `calls`: calls that were answered synchronously, with their tuples and failed records. */
export function callRoutes(app: Api, { store, auditLog }: CallHistoryTools): void {
  const common = { tags: ['admin'], headers: CallHeaders };

  app.get(
    '/calls',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        ...common,
        operationId: 'completedCalls',
        summary: 'List synchronous calls',
        description:
          'Returns the newest 10,000 synchronous calls that write, the newest first. Jobs, dry runs and requests that were rejected as a whole are not included.',
        querystring: CompletedCallQuery,
        response: completedCallsAnswers,
      },
    },
    async (request) => {
      const { page, pageSize, failed: failedOnly = false } = request.query;
      const { calls, totalCount } = await store.list({ page, pageSize, failedOnly }, request.caller.tags);
      return pageEnvelope({ page, pageSize, totalCount }, calls, debugOf(request));
    },
  );

  app.get(
    '/calls/:id',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        ...common,
        operationId: 'completedCall',
        summary: 'Get a synchronous call',
        description:
          'Returns the call in `result.record` and a page of its tuples in `result.records`, in the order sent, with an empty `Item6`. Calls are kept as long as jobs.',
        params: CallPath,
        querystring: TuplesQuery,
        response: completedCallAnswers,
      },
    },
    async (request, reply) => {
      const { page, pageSize, failed: failedOnly = false } = request.query;
      const call = await store.find(request.params.id, request.caller.tags);
      const outcomes = await store.outcomes(call.CallID, { page, pageSize, failedOnly }, request.caller.tags);
      const language = languageOf(request);
      const records = outcomes.map((outcome) => tupleOf(outcome, language, null));
      reply.header('content-language', language);
      const totalCount = failedOnly ? call.RecordsFailed : call.Records;
      const record = { ...call, Positions: positionsOf(outcomes) };
      return pageEnvelope({ page, pageSize, totalCount }, records, debugOf(request), record);
    },
  );

  app.get(
    '/calls/:id/failed',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        ...common,
        operationId: 'failedRecordsOfCall',
        summary: 'Get the failed records of a call',
        description:
          'Returns an array of the records that were not applied, without secrets and without the envelope. Correct them, fill in the passwords, and send the array again.',
        params: CallPath,
        querystring: CallQuery,
        response: callFailedAnswers,
      },
    },
    async (request, reply) => {
      const { CallID: callId } = await store.find(request.params.id, request.caller.tags);
      return sendFailedRecords(callId, store, auditLog, request, reply);
    },
  );
}

/** `failures`: the latest failed records of all clients. */
export function failuresRoute(app: Api, store: CallHistory): void {
  app.get(
    '/failures',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        operationId: 'failures',
        summary: 'List failed records',
        description:
          'Returns the newest 10,000 records of all calls and jobs that were not applied, the newest first, with their errors but without their content.',
        tags: ['admin'],
        querystring: PageQuery,
        headers: CallHeaders,
        response: failuresAnswers,
      },
    },
    async (request, reply) => {
      const { page, pageSize } = request.query;
      const language = languageOf(request);
      const { failures, totalCount } = await store.listFailures({ page, pageSize }, request.caller.tags);
      const records = failures.map(({ error, errors, places, ...record }) => ({
        ...record,
        Code: error.code,
        Message: translate(error, language),
        FieldErrors: fieldErrorsByPlace(errors, language),
        FieldErrorsCount: places,
      }));
      reply.header('content-language', language);
      return pageEnvelope({ page, pageSize, totalCount }, records, debugOf(request));
    },
  );
}

const completedCall = {
  ...actorFields,
  Operation,
  Records: Count,
  RecordsFailed: Count,
  Users: Count,
  UsersApplied: Count,
  Milliseconds: count('Duration of the call in milliseconds.'),
};
const CompletedCallSchema = named(
  'CompletedCall',
  strictObject(completedCall, { description: 'A synchronous call.' }),
);
const CallWithTuples = named(
  'CallWithTuples',
  strictObject(
    { ...completedCall, Positions },
    { description: 'A synchronous call, with the positions of a page of its tuples.' },
  ),
);

const FailureItem = named(
  'Failure',
  strictObject({
    At: Moment,
    CallID: Uuid,
    JobID: nullable(
      Type.String({ format: 'uuid', description: 'The ID of the job. Null for a synchronous call.' }),
    ),
    Operation,
    ClientID: nullable(Id),
    Position: Type.Integer({ minimum: 0, description: 'Zero-based index of the record in the request.' }),
    ID: nullable(Type.Integer({ description: 'The ID of the principal.' })),
    ExternalKey: nullable(
      Type.String({
        description: 'The external key that the record was sent with, or that of the principal with the ID.',
      }),
    ),
    Username: nullable(Type.String({ description: 'The first username in the record.' })),
    Code: ErrorCode,
    Message: Type.String(),
    FieldErrors: Type.Record(Type.String(), Type.Array(ErrorDetail), {
      description: 'The field errors by path, at most 20 paths.',
    }),
    FieldErrorsCount: Type.Integer({ minimum: 0, description: 'Number of all paths with field errors.' }),
  }),
);

const CallPath = pathOf('CALL_NOT_FOUND', { id: Uuid });
const CompletedCallQuery = Type.Object({
  ...paging,
  failed: flag('Returns only calls with failed records.'),
  ...debug,
});
const noCall = { 404: errorAnswer('There is no such call.', 'CALL_NOT_FOUND') };
const completedCallsAnswers = answers(
  'A page of calls.',
  page('CompletedCallsEnvelope', CompletedCallSchema),
);
const failuresAnswers = answers('A page of failed records.', page('FailuresEnvelope', FailureItem));
const completedCallAnswers = answers(
  'The call and a page of its tuples.',
  page('CompletedCallEnvelope', TupleSchema, CallWithTuples),
  noCall,
);
const callFailedAnswers = answers('The failed records.', Type.Array(FailedRecordSchema), noCall);
