import type { FastifyInstance } from 'fastify';
import { findJob, type JobStore, jobsSeenBy, readJob } from '../../core/jobs/job.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { authorOf } from '../access.ts';
import { debugOf, languageOf } from '../call.ts';
import { pageEnvelope, recordEnvelope } from '../envelope.ts';
import { jobFields } from '../job-fields.ts';
import { representationFor } from '../preferences.ts';
import { isFlagged, pageOf } from '../query.ts';
import { sendRetryKit } from '../retry-kit.ts';
import { cancelledAnswers, failedAnswers, jobAnswers, jobsAnswers } from '../schemas/answers.ts';
import { CallHeaders, CallQuery, JobHeaders, JobId, JobQuery, PageQuery } from '../schemas/requests.ts';
import { sendEnvelope } from '../stream.ts';
import { positionsOf, tupleTexts } from '../tuple.ts';

const tags = ['jobs'];

interface JobTools {
  readonly jobs: JobStore;
  readonly journal: Journal;
}

/** `jobs`: how calls that were taken with `Prefer: respond-async` go, and what became of their records. */
export function jobRoutes(app: FastifyInstance, { jobs: store, journal }: JobTools): void {
  const scope = 'sync:write' as const;

  app.get(
    '/jobs',
    {
      config: { scope, query: ['page', 'pageSize'] },
      schema: {
        operationId: 'jobs',
        summary: 'List jobs, the newest first',
        description: 'Those of the client that asks; for the scope `admin` those of all.',
        tags,
        querystring: PageQuery,
        headers: CallHeaders,
        response: jobsAnswers,
      },
    },
    async (request) => {
      const page = pageOf(request);
      const { jobs, totalCount } = await store.list(jobsSeenBy(request.caller), page);
      const records = jobs.map(jobFields);
      return pageEnvelope({ ...page, totalCount, count: records.length }, records, debugOf(request));
    },
  );

  app.get<{ Params: { id: string } }>(
    '/jobs/:id',
    {
      config: { scope, query: ['page', 'pageSize', 'failed'] },
      schema: {
        operationId: 'job',
        summary: 'How a job goes, and its tuples so far',
        description:
          'The job stands in `result.record`, the tuples in `result.records`, in the order sent. `failed=true` gives those of failed records alone. `Positions` in `result.record` tells which record of the call each of them belongs to.',
        tags,
        params: JobId,
        querystring: JobQuery,
        headers: JobHeaders,
        response: jobAnswers,
      },
    },
    async (request, reply) => {
      const page = pageOf(request);
      const failedOnly = isFlagged(request, 'failed');
      const representation = representationFor(request);
      const asked = { ...page, failedOnly, withUsers: representation !== null };
      const { job, outcomes } = await readJob(request.params.id, asked, request.caller, store);
      const language = languageOf(request);
      const totalCount = failedOnly ? job.recordsFailed : job.recordsDone;
      reply.header('content-language', language);
      if (representation) reply.header('preference-applied', 'return=representation');
      const record = { ...jobFields(job), Positions: positionsOf(outcomes) };
      const envelope = () =>
        pageEnvelope<never>({ ...page, totalCount, count: outcomes.length }, [], debugOf(request), record);
      return sendEnvelope(reply, envelope, tupleTexts(outcomes, language, representation));
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/jobs/:id',
    {
      config: { scope, emptyBody: true },
      schema: {
        operationId: 'cancelJob',
        summary: 'Cancel what has not begun',
        description:
          'Records that were applied stay applied. The others get a tuple with `CANCELLED`, and `failed` gives them back. A job that has ended stays as it is.',
        tags,
        params: JobId,
        querystring: CallQuery,
        headers: CallHeaders,
        response: cancelledAnswers,
      },
    },
    async (request) => {
      const { id } = await findJob(request.params.id, request.caller, store);
      await store.cancel(id, authorOf(request));
      return recordEnvelope(jobFields(await findJob(id, request.caller, store)), debugOf(request));
    },
  );

  app.get<{ Params: { id: string } }>(
    '/jobs/:id/failed',
    {
      config: { scope },
      schema: {
        operationId: 'failedRecords',
        summary: 'The failed records, ready to be sent again',
        description:
          'A bare array of the records as they were sent, without their secrets, each with its place in the call and its faults. Correct them, fill in the passwords, and send the array to where it came from; `Position` and `Faults` may stay.',
        tags,
        params: JobId,
        querystring: CallQuery,
        headers: CallHeaders,
        response: failedAnswers,
      },
    },
    async (request, reply) => {
      const { id } = await findJob(request.params.id, request.caller, store);
      return sendRetryKit(id, store, journal, request, reply);
    },
  );
}
