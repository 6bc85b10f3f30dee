import { Type } from 'typebox';
import type { AuditLog } from '../audit/audit-log.ts';
import {
  actorFields,
  answer,
  Count,
  ErrorCode,
  ErrorDetail,
  ErrorEnvelope,
  errorAnswers,
  errorExample,
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
import { type Language, translate } from '../i18n/translate.ts';
import { sendFailedRecords } from '../jobs/failed-records.routes.ts';
import { TuplesQuery } from '../jobs/jobs.routes.ts';
import { FailedRecordSchema, Positions, TupleSchema } from '../records/tuple.schemas.ts';
import { fieldErrorsByPlace, positionsOf, tupleOf } from '../records/tuple.ts';
import {
  type CallStore,
  type CompletedCall,
  type FailureEntry,
  type FailureStore,
  findCall,
} from './call-history.ts';

export interface CallHistoryTools {
  readonly store: CallStore;
  readonly auditLog: AuditLog;
}

/** `calls`: calls that were answered synchronously, with their tuples and failed records. */
export function callRoutes(app: Api, { store, auditLog }: CallHistoryTools): void {
  const scope = 'admin' as const;
  const common = { tags: ['admin'], headers: CallHeaders };

  app.get(
    '/calls',
    {
      config: { scope },
      schema: {
        ...common,
        operationId: 'completedCalls',
        summary: 'Calls that were answered at once, the newest first',
        description:
          'Of `irs/update`, `irs/insert` and `irs/state`, once their records had been read; dry runs and jobs are not among them; the newest 10,000. `failed=true` gives those of which a record was not applied.',
        querystring: CompletedCallQuery,
        response: completedCallsAnswers,
      },
    },
    async (request) => {
      const { page, pageSize, failed: failedOnly = false } = request.query;
      const { calls, totalCount } = await store.list({ page, pageSize, failedOnly });
      const records = calls.map(callFields);
      return pageEnvelope({ page, pageSize, totalCount, count: records.length }, records, debugOf(request));
    },
  );

  app.get(
    '/calls/:id',
    {
      config: { scope },
      schema: {
        ...common,
        operationId: 'completedCall',
        summary: 'A call that was answered at once, and its tuples',
        description:
          'The call stands in `result.record`, the tuples in `result.records`, in the order sent, without `Item6`. `failed=true` gives those of failed records alone. `Positions` in `result.record` tells which record of the call each of them belongs to. Kept as long as jobs are.',
        params: CallPath,
        querystring: TuplesQuery,
        response: completedCallAnswers,
      },
    },
    async (request, reply) => {
      const { page, pageSize, failed: failedOnly = false } = request.query;
      const call = await findCall(request.params.id, store);
      const outcomes = await store.outcomes(call, { page, pageSize, failedOnly });
      const language = languageOf(request);
      const records = outcomes.map((outcome) => tupleOf(outcome, language, null));
      reply.header('content-language', language);
      return pageEnvelope(
        {
          page,
          pageSize,
          totalCount: failedOnly ? call.recordsFailed : call.records,
          count: records.length,
        },
        records,
        debugOf(request),
        { ...callFields(call), Positions: positionsOf(outcomes) },
      );
    },
  );

  app.get(
    '/calls/:id/failed',
    {
      config: { scope },
      schema: {
        ...common,
        operationId: 'failedRecordsOfCall',
        summary: 'The failed records of a call, ready to be sent again',
        description: 'As those of a job: a bare array, without secrets.',
        params: CallPath,
        querystring: CallQuery,
        response: callFailedAnswers,
      },
    },
    async (request, reply) => {
      const { callId } = await findCall(request.params.id, store);
      return sendFailedRecords(callId, store, auditLog, request, reply);
    },
  );
}

function callFields(call: CompletedCall) {
  return {
    At: call.at,
    Actor: call.kind,
    ClientID: call.clientId,
    UserID: call.userId,
    Address: call.address,
    RequestId: call.requestId,
    CallID: call.callId,
    Operation: call.operation,
    Records: call.records,
    RecordsFailed: call.recordsFailed,
    Users: call.users,
    UsersApplied: call.usersApplied,
    Milliseconds: call.milliseconds,
  };
}

/** `failures`: the latest failed records of all clients. */
export function failuresRoute(app: Api, store: FailureStore): void {
  app.get(
    '/failures',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'failures',
        summary: 'The records that were not applied, the newest first',
        description:
          'Of calls that were answered at once and of jobs, without what was sent; the newest 10,000. `FieldErrors` has the first 20 places, `FieldErrorsCount` counts all.',
        tags: ['admin'],
        querystring: PageQuery,
        headers: CallHeaders,
        response: failuresAnswers,
      },
    },
    async (request, reply) => {
      const { page, pageSize } = request.query;
      const language = languageOf(request);
      const { refused, totalCount } = await store.list({ page, pageSize });
      const records = refused.map((record) => failureFields(record, language));
      reply.header('content-language', language);
      return pageEnvelope({ page, pageSize, totalCount, count: records.length }, records, debugOf(request));
    },
  );
}

function failureFields(record: FailureEntry, language: Language) {
  return {
    At: record.at,
    CallID: record.callId,
    JobID: record.isJob ? record.callId : null,
    Operation: record.operation,
    ClientID: record.clientId,
    Position: record.position,
    ID: record.id,
    Code: record.error.code,
    Message: translate(record.error, language),
    FieldErrors: fieldErrorsByPlace(record.errors, language),
    FieldErrorsCount: record.errorsCount,
  };
}

const completedCall = {
  ...actorFields,
  Operation,
  Records: Count,
  RecordsFailed: Count,
  Users: Count,
  UsersApplied: Count,
  Milliseconds: Count,
};
const CompletedCallSchema = named('CompletedCall', strictObject(completedCall));
const CallWithTuples = named(
  'CallWithTuples',
  strictObject({ ...completedCall, Positions }, { description: 'A call, beside a page of its tuples' }),
);

const FailureItem = named(
  'Failure',
  strictObject({
    At: Moment,
    CallID: Uuid,
    JobID: nullable(Type.String({ format: 'uuid', description: 'the same, where the call is a job' })),
    Operation,
    ClientID: nullable(Id),
    Position: Type.Integer({ minimum: 0, description: 'of the record in the call' }),
    ID: nullable(Type.Integer({ description: 'the ID of the principal' })),
    Code: ErrorCode,
    Message: Type.String(),
    FieldErrors: Type.Record(Type.String(), Type.Array(ErrorDetail), {
      description: 'those of the first 20 places',
    }),
    FieldErrorsCount: Type.Integer({ minimum: 0, description: 'how many places have faults' }),
  }),
);

const CallPath = pathOf('CALL_NOT_FOUND', { id: Uuid });
const CompletedCallQuery = Type.Object({
  ...paging,
  failed: flag('only calls with failed records'),
  ...debug,
});
const completedCallsAnswers = {
  200: answer('A page of calls', page('CompletedCallsEnvelope', CompletedCallSchema)),
  ...errorAnswers,
};
const failuresAnswers = {
  200: answer('A page of records that were not applied', page('FailuresEnvelope', FailureItem)),
  ...errorAnswers,
};
const noCall = {
  ...errorAnswers,
  404: answer('There is no such call', ErrorEnvelope, errorExample(404, 'CALL_NOT_FOUND')),
};
const completedCallAnswers = {
  200: answer(
    'The call, and a page of its tuples',
    page('CompletedCallEnvelope', TupleSchema, CallWithTuples),
  ),
  ...noCall,
};
const callFailedAnswers = {
  200: answer('The failed records', Type.Array(FailedRecordSchema)),
  ...noCall,
};
