import type { FastifyInstance } from 'fastify';
import type { RefusedRecord, RefusedRecordStore } from '../../../core/calls/refused-record.ts';
import { type Language, say } from '../../../core/language/say.ts';
import { debugOf, languageOf } from '../../call.ts';
import { pageEnvelope } from '../../envelope.ts';
import { pageOf } from '../../query.ts';
import { failuresAnswers } from '../../schemas/admin.ts';
import { CallHeaders, PageQuery } from '../../schemas/requests.ts';
import { faultsByPlace } from '../../tuple.ts';

/** `failures`: what was not applied lately, whoever sent it. */
export function failuresRoute(app: FastifyInstance, store: RefusedRecordStore): void {
  app.get(
    '/failures',
    {
      config: { scope: 'admin', query: ['page', 'pageSize'] },
      schema: {
        operationId: 'failures',
        summary: 'The records that were not applied, the newest first',
        description:
          'Of calls that were answered at once and of jobs, without what was sent; the newest 10,000. `Faults` has the first 20 places, `FaultsCount` counts all.',
        tags: ['admin'],
        querystring: PageQuery,
        headers: CallHeaders,
        response: failuresAnswers,
      },
    },
    async (request, reply) => {
      const page = pageOf(request);
      const language = languageOf(request);
      const { refused, totalCount } = await store.list(page);
      const records = refused.map((record) => failureFields(record, language));
      reply.header('content-language', language);
      return pageEnvelope({ ...page, totalCount, count: records.length }, records, debugOf(request));
    },
  );
}

function failureFields(record: RefusedRecord, language: Language) {
  return {
    At: record.at,
    CallID: record.callId,
    JobID: record.isJob ? record.callId : null,
    Operation: record.operation,
    ClientID: record.clientId,
    Position: record.position,
    ID: record.id,
    Code: record.refusal.code,
    Message: say(record.refusal, language),
    Faults: faultsByPlace(record.faults, language),
    FaultsCount: record.faultsCount,
  };
}
