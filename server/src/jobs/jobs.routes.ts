import type { FastifyInstance } from 'fastify';
import type { AuditLog } from '../audit/audit-log.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf, languageOf } from '../http/request-context.ts';
import { isFlagged, pageOf, representationFor } from '../http/request-options.ts';
import { cancelledAnswers, failedAnswers, jobAnswers, jobsAnswers } from '../http/schemas/answers.ts';
import {
  AllJobsQuery,
  CallHeaders,
  CallQuery,
  JobHeaders,
  JobId,
  JobQuery,
  PageQuery,
} from '../http/schemas/requests.ts';
import { sendEnvelope } from '../http/streaming.ts';
import { positionsOf, tupleTexts } from '../records/tuple.ts';
import { sendFailedRecords } from './failed-records.routes.ts';
import { findJob, type Job, type JobStore, jobsSeenBy, paceOf, readJob } from './job.ts';

const tags = ['jobs'];

interface JobTools {
  readonly jobs: JobStore;
  readonly auditLog: AuditLog;
}

/** `jobs`: progress and results of calls that were sent with `Prefer: respond-async`. */
export function jobRoutes(app: FastifyInstance, { jobs: store, auditLog }: JobTools): void {
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
      const envelope = pageEnvelope<never>({ ...page, totalCount, count: outcomes.length }, [], null, record);
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
      await store.cancel(id, actorOf(request));
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
      return sendFailedRecords(id, store, auditLog, request, reply);
    },
  );
}

/** Returns the API representation of a job. */
export function jobFields(job: Job) {
  const { usersPerSecond, estimatedEnd } = paceOf(job, new Date());
  return {
    ID: job.id,
    ClientID: job.clientId,
    State: job.state,
    Operation: job.operation,
    Records: job.records,
    RecordsDone: job.recordsDone,
    RecordsFailed: job.recordsFailed,
    Users: job.users,
    UsersDone: job.usersDone,
    UsersPerSecond: usersPerSecond,
    SubmittedAt: job.submittedAt,
    StartedAt: job.startedAt,
    EndedAt: job.endedAt,
    EstimatedEnd: estimatedEnd,
  };
}

/** `jobs` of the admin API: the jobs of all clients. A single job is read and cancelled at `/api/sync/v1/jobs`. */
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
