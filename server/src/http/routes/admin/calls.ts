import type { FastifyInstance } from 'fastify';
import { type CallStore, type CompletedCall, findCall } from '../../../core/journal/calls.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import { debugOf, languageOf } from '../../call.ts';
import { pageEnvelope } from '../../envelope.ts';
import { isFlagged, pageOf } from '../../query.ts';
import { sendRetryKit } from '../../retry-kit.ts';
import {
  CompletedCallQuery,
  callFailedAnswers,
  completedCallAnswers,
  completedCallsAnswers,
} from '../../schemas/admin.ts';
import { CallHeaders, CallQuery, JobId, JobQuery } from '../../schemas/requests.ts';
import { positionsOf, tupleOf } from '../../tuple.ts';

export interface CallTools {
  readonly store: CallStore;
  readonly journal: Journal;
}

/** `calls`: what was sent and answered at once. */
export function callRoutes(app: FastifyInstance, { store, journal }: CallTools): void {
  const scope = 'admin' as const;
  const common = { tags: ['admin'], headers: CallHeaders };

  app.get(
    '/calls',
    {
      config: { scope, query: ['page', 'pageSize', 'failed'] },
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
      const page = pageOf(request);
      const { calls, totalCount } = await store.list({ ...page, failedOnly: isFlagged(request, 'failed') });
      const records = calls.map(callFields);
      return pageEnvelope({ ...page, totalCount, count: records.length }, records, debugOf(request));
    },
  );

  app.get<{ Params: { id: string } }>(
    '/calls/:id',
    {
      config: { scope, query: ['page', 'pageSize', 'failed'] },
      schema: {
        ...common,
        operationId: 'completedCall',
        summary: 'A call that was answered at once, and its tuples',
        description:
          'The call stands in `result.record`, the tuples in `result.records`, in the order sent, without `Item6`. `failed=true` gives those of failed records alone. `Positions` in `result.record` tells which record of the call each of them belongs to. Kept as long as jobs are.',
        params: JobId,
        querystring: JobQuery,
        response: completedCallAnswers,
      },
    },
    async (request, reply) => {
      const page = pageOf(request);
      const failedOnly = isFlagged(request, 'failed');
      const call = await findCall(request.params.id, store);
      const outcomes = await store.outcomes(call, { ...page, failedOnly });
      const language = languageOf(request);
      const records = outcomes.map((outcome) => tupleOf(outcome, language, null));
      reply.header('content-language', language);
      return pageEnvelope(
        { ...page, totalCount: failedOnly ? call.recordsFailed : call.records, count: records.length },
        records,
        debugOf(request),
        { ...callFields(call), Positions: positionsOf(outcomes) },
      );
    },
  );

  app.get<{ Params: { id: string } }>(
    '/calls/:id/failed',
    {
      config: { scope },
      schema: {
        ...common,
        operationId: 'failedRecordsOfCall',
        summary: 'The failed records of a call, ready to be sent again',
        description: 'As those of a job: a bare array, without secrets.',
        params: JobId,
        querystring: CallQuery,
        response: callFailedAnswers,
      },
    },
    async (request, reply) => {
      const { callId } = await findCall(request.params.id, store);
      return sendRetryKit(callId, store, journal, request, reply);
    },
  );
}

function callFields(call: CompletedCall) {
  return {
    At: call.at,
    Actor: call.actor,
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
