import type { FastifyInstance } from 'fastify';
import type { CallStore, CompletedCall } from '../../../core/journal/calls.ts';
import { debugOf } from '../../call.ts';
import { pageEnvelope } from '../../envelope.ts';
import { isFlagged, pageOf } from '../../query.ts';
import { CompletedCallQuery, completedCallAnswers } from '../../schemas/admin.ts';
import { CallHeaders } from '../../schemas/requests.ts';

/** `calls`: what was sent and answered at once. */
export function callRoute(app: FastifyInstance, store: CallStore): void {
  app.get(
    '/calls',
    {
      config: { scope: 'admin', query: ['page', 'pageSize', 'failed'] },
      schema: {
        operationId: 'completedCalls',
        summary: 'Calls that were answered at once, the newest first',
        description:
          'Of `irs/update`, `irs/insert` and `irs/state`, once their records had been read; dry runs and jobs are not among them. `failed=true` gives those of which a record was not applied.',
        tags: ['admin'],
        querystring: CompletedCallQuery,
        headers: CallHeaders,
        response: completedCallAnswers,
      },
    },
    async (request) => {
      const page = pageOf(request);
      const { calls, totalCount } = await store.list({ ...page, failedOnly: isFlagged(request, 'failed') });
      const records = calls.map(callFields);
      return pageEnvelope({ ...page, totalCount, count: records.length }, records, debugOf(request));
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
  };
}
