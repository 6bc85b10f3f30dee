import type { FastifyInstance } from 'fastify';
import type { JobStore } from '../../../core/jobs/job.ts';
import { debugOf } from '../../call.ts';
import { pageEnvelope } from '../../envelope.ts';
import { jobFields } from '../../job-fields.ts';
import { isFlagged, pageOf } from '../../query.ts';
import { jobsAnswers } from '../../schemas/answers.ts';
import { AllJobsQuery, CallHeaders } from '../../schemas/requests.ts';

/** `jobs`: those of everyone. What is done to one is done at `/api/sync/v1/jobs`. */
export function allJobsRoute(app: FastifyInstance, store: JobStore): void {
  app.get(
    '/jobs',
    {
      config: { scope: 'admin', query: ['page', 'pageSize', 'open', 'failed'] },
      schema: {
        operationId: 'allJobs',
        summary: 'The jobs of all clients, the newest first',
        description:
          '`open=true` gives those that have not ended: the running ones first, then the others in the order in which they wait. `failed=true` gives those of which a record was not applied.',
        tags: ['admin'],
        querystring: AllJobsQuery,
        headers: CallHeaders,
        response: jobsAnswers,
      },
    },
    async (request) => {
      const page = pageOf(request);
      const { jobs, totalCount } = await store.list('everyone', {
        ...page,
        openOnly: isFlagged(request, 'open'),
        failedOnly: isFlagged(request, 'failed'),
      });
      const records = jobs.map(jobFields);
      return pageEnvelope({ ...page, totalCount, count: records.length }, records, debugOf(request));
    },
  );
}
