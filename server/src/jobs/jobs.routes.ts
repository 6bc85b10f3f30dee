import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AuditLog } from '../audit/audit-log.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { answers, count, errorAnswer, Moment, page } from '../http/answer-schemas.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf, languageOf } from '../http/request-context.ts';
import { representationFor } from '../http/request-options.ts';
import {
  CallHeaders,
  CallQuery,
  debug,
  flag,
  Id,
  language,
  named,
  nullable,
  Operation,
  oneOf,
  PageQuery,
  paging,
  pathOf,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import { sendEnvelope } from '../http/streaming.ts';
import type { Api } from '../http/validation.ts';
import { countFields, EffectCountsSchema } from '../records/read/plan.schemas.ts';
import { FailedRecordSchema, Positions, TupleSchema } from '../records/read/tuple.schemas.ts';
import { tupleTexts } from '../records/read/tuple.ts';
import { sendFailedRecords } from './failed-records.routes.ts';
import { type Job, jobsSeenBy, paceOf } from './job.ts';
import type { JobListing, JobStore } from './jobs.store.ts';

interface JobTools {
  readonly jobs: JobStore;
  readonly auditLog: AuditLog;
}

/** Registers `/jobs`: progress and results of calls that were sent with `Prefer: respond-async`. */
export function jobRoutes(app: Api, { jobs: store, auditLog }: JobTools): void {
  const about = { tags: ['jobs'], querystring: CallQuery, headers: CallHeaders };

  app.get(
    '/jobs',
    {
      config: { permission: 'jobs.read', limited: true },
      schema: {
        operationId: 'jobs',
        summary: 'List jobs',
        description:
          'Returns the jobs of the client, the newest first. With the scope `admin` it returns the jobs of all clients.',
        ...about,
        querystring: PageQuery,
        response: jobsAnswers,
      },
    },
    async (request) => {
      const { page, pageSize } = request.query;
      return listJobs({ page, pageSize }, store, request);
    },
  );

  app.get(
    '/jobs/:id',
    {
      config: { permission: 'jobs.read', limited: true },
      schema: {
        operationId: 'job',
        summary: 'Get a job',
        description:
          'Returns the job with its progress in `result.record` and a page of the tuples so far in `result.records`, in the order sent.',
        ...about,
        params: JobPath,
        querystring: TuplesQuery,
        headers: JobHeaders,
        response: jobAnswers,
      },
    },
    async (request, reply) => {
      const { page, pageSize, failed: failedOnly = false } = request.query;
      const representation = representationFor(request);
      const asked = { page, pageSize, failedOnly, withUsers: representation !== null };
      const { job, positions, outcomes } = await store.read(
        request.params.id,
        jobsSeenBy(request.caller),
        asked,
      );
      const language = languageOf(request);
      const totalCount = failedOnly ? job.recordsFailed : job.recordsDone;
      reply.header('content-language', language);
      if (representation) reply.header('preference-applied', 'return=representation');
      const record = { ...jobFields(job), Positions: positions };
      const shown = { page, pageSize, totalCount, count: positions.length };
      const envelope = pageEnvelope<never>(shown, [], null, record);
      return sendEnvelope(reply, envelope, tupleTexts(outcomes, language, representation));
    },
  );

  app.delete(
    '/jobs/:id',
    {
      config: { permission: 'jobs.write', limited: true, emptyBody: true, maxValues: 10 },
      schema: {
        operationId: 'cancelJob',
        summary: 'Cancel a job',
        description:
          'Cancels the records that have not been started. Applied records stay applied. Cancelled records get a tuple with `CANCELLED` and are among the failed records. A job that has ended stays unchanged.',
        ...about,
        params: JobPath,
        response: cancelledAnswers,
      },
    },
    async (request) => {
      const owner = jobsSeenBy(request.caller);
      const { id } = await store.find(request.params.id, owner);
      await store.cancel(id, actorOf(request));
      return recordEnvelope(jobFields(await store.find(id, owner)), debugOf(request));
    },
  );

  app.get(
    '/jobs/:id/failed',
    {
      config: { permission: 'jobs.read', limited: true },
      schema: {
        operationId: 'failedRecords',
        summary: 'Get the failed records of a job',
        description:
          'Returns an array of the records that were not applied, as they were sent but without secrets, without the envelope. Correct them, fill in the passwords, and send the array to the same operation. `Position` and `FieldErrors` are ignored there.',
        ...about,
        params: JobPath,
        response: failedAnswers,
      },
    },
    async (request, reply) => {
      const { id } = await store.find(request.params.id, jobsSeenBy(request.caller));
      return sendFailedRecords(id, store, auditLog, request, reply);
    },
  );
}

async function listJobs(listing: JobListing, store: JobStore, request: FastifyRequest) {
  const { jobs, totalCount } = await store.list(jobsSeenBy(request.caller), listing);
  return pageEnvelope({ ...listing, totalCount }, jobs.map(jobFields), debugOf(request));
}

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
    Counts: job.counts && countFields(job.counts),
  };
}

/** Registers `/jobs` of the admin API: the jobs of all clients. A single job is read and cancelled at `/api/sync/v1/jobs`. */
export function allJobsRoute(app: Api, store: JobStore): void {
  app.get(
    '/jobs',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        operationId: 'allJobs',
        summary: 'List the jobs of all clients',
        description:
          'Returns the newest jobs first. With `open=true` the running jobs come first, then the queued ones in the order of the queue.',
        tags: ['admin'],
        querystring: AllJobsQuery,
        headers: CallHeaders,
        response: jobsAnswers,
      },
    },
    async (request) => {
      const { page, pageSize, open: openOnly = false, failed: failedOnly = false } = request.query;
      return listJobs({ page, pageSize, openOnly, failedOnly }, store, request);
    },
  );
}

const job = {
  ID: Uuid,
  ClientID: nullable(Id),
  State: oneOf(['queued', 'running', 'completed', 'cancelled']),
  Operation,
  Records: count('Number of records that were sent.'),
  RecordsDone: count('Number of records that have a result.'),
  RecordsFailed: count('Number of records that were not applied.'),
  Users: count('Number of users that were sent.'),
  UsersDone: count('Number of users in records that have a result already.'),
  UsersPerSecond: nullable(
    Type.Number({
      minimum: 0,
      description:
        'Users of applied records per second: weighted over about the last minute or, for an ended job, the average.',
    }),
  ),
  SubmittedAt: Moment,
  StartedAt: nullable(Moment),
  EndedAt: nullable(Type.String({ format: 'date-time', description: 'Null while records are left.' })),
  EstimatedEnd: nullable(Moment),
  Counts: nullable(EffectCountsSchema),
};
const JobSchema = named('Job', strictObject(job, { description: 'A call that runs in the background.' }));
const JobWithTuples = named(
  'JobWithTuples',
  strictObject({ ...job, Positions }, { description: 'A job, with the positions of a page of its tuples.' }),
);

export const JobAlone = page('JobEnvelope', TupleSchema, JobSchema);

const JobPath = pathOf('JOB_NOT_FOUND', { id: Uuid });
export const TuplesQuery = Type.Object({
  ...paging,
  failed: flag('Returns only the tuples of failed records.'),
  ...debug,
});
const AllJobsQuery = Type.Object({
  ...paging,
  open: flag('Returns only jobs that have not ended.'),
  failed: flag('Returns only jobs with failed records.'),
  ...debug,
});
const JobHeaders = Type.Object({
  ...language,
  Prefer: Type.Optional(
    Type.String({ description: '`return=representation` fills `Item6` of applied records.' }),
  ),
});

const noJob = { 404: errorAnswer('There is no such job, or it belongs to another client.', 'JOB_NOT_FOUND') };
const jobsAnswers = answers('A page of jobs.', page('JobsEnvelope', JobSchema));
const jobAnswers = answers(
  'The job and a page of its tuples.',
  page('JobTuplesEnvelope', TupleSchema, JobWithTuples),
  noJob,
);
const cancelledAnswers = answers('The job.', JobAlone, noJob);
const failedAnswers = answers('The failed records.', Type.Array(FailedRecordSchema), noJob);
