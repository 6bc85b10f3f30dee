import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { answers, Count, count, errorAnswer, Moment, page } from '../http/answer-schemas.ts';
import { pageEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  Id,
  named,
  nullable,
  Operation,
  PageQuery,
  pathOf,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import type { RunHistory } from './runs.store.ts';
import { undoRun } from './runs.ts';
import { MergeQuery, UpsertHeaders, upsertAnswers } from './upsert.schemas.ts';
import { type WriteRouteTools, writeHandler } from './write-handler.routes.ts';

export interface RunTools extends WriteRouteTools {
  readonly runs: RunHistory;
}

/** `runs`: the calls of one import or synchronisation together, and their undo. */
export function runRoutes(app: Api, tools: RunTools): void {
  const { runs, callTools } = tools;
  const about = { tags: ['admin'], headers: CallHeaders };

  app.get(
    '/runs',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        ...about,
        operationId: 'runs',
        summary: 'List runs',
        description:
          'Returns the newest 10,000 runs, the newest first. A run has the calls that were sent with the same `Anagrafe-Run`, such as those of one import.',
        querystring: PageQuery,
        response: runsAnswers,
      },
    },
    async (request) => {
      const { page, pageSize } = request.query;
      const { runs: found, totalCount } = await runs.list({ page, pageSize }, request.caller.tags);
      return pageEnvelope({ page, pageSize, totalCount }, found, debugOf(request));
    },
  );

  app.get(
    '/runs/:id',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        ...about,
        operationId: 'run',
        summary: 'Get a run',
        description:
          'Returns the run in `result.record` and a page of its calls and jobs in `result.records`, the oldest first, with those that undo it.',
        params: RunPath,
        querystring: PageQuery,
        response: runAnswers,
      },
    },
    async (request) => {
      const { page, pageSize } = request.query;
      const run = await runs.find(request.params.id, request.caller.tags);
      const { calls, totalCount } = await runs.calls(run.ID, { page, pageSize }, request.caller.tags);
      const shown = { page, pageSize, totalCount };
      return pageEnvelope(shown, calls, debugOf(request), run);
    },
  );

  const handle = writeHandler('undo', tools, (call) => undoRun(call, runs, callTools));
  app.post(
    '/runs/:id/undo',
    {
      config: { permission: 'runs.undo', limited: true, once: true, emptyBody: true, maxValues: 10 },
      schema: {
        tags: ['admin'],
        operationId: 'undoRun',
        summary: 'Undo a run',
        description:
          'Deletes the principals and users that the run has created and that no one has used or changed since, and restores the values that are still the ones that the run wrote. Users that are still where the run has moved them go back. Everything else stays as it is and is in `Kept`. Deletions and passwords cannot be undone. With `dryRun=true` the answer is the plan; with `If-Match` the undo is applied only while that plan holds. Records are parts of principals.',
        params: RunPath,
        querystring: MergeQuery,
        headers: UpsertHeaders,
        response: undoAnswers,
      },
    },
    async (request, reply) => {
      // A request without a body has none.
      const fingerprint = callTools.keyRing
        .newFingerprint()
        .update(`undo ${request.params.id.toLowerCase()}`);
      request.received.fingerprints = fingerprint.digests();
      return handle(request as FastifyRequest, reply);
    },
  );
}

const moment = (description: string) => nullable(Type.String({ format: 'date-time', description }));
const RunSchema = named(
  'Run',
  strictObject(
    {
      ID: Uuid,
      ClientID: nullable(Id),
      ClientName: nullable(
        Type.String({ description: 'The client that has sent the calls. Null in protected mode.' }),
      ),
      StartedAt: Moment,
      EndedAt: moment('Null while a call of the run is not completed.'),
      Calls: count('Number of calls and jobs, without those that undo the run.'),
      Records: Count,
      RecordsFailed: Count,
      Users: Count,
      UndoableUntil: Type.String({
        format: 'date-time',
        description: 'The time until which the run can be undone.',
      }),
      UndoneAt: moment('The end of the last undo. Null if there is none.'),
      UndoneBy: nullable(
        Type.String({
          description:
            'The name of the client that has undone the run last. Null if there is no undo, and in protected mode.',
        }),
      ),
    },
    { description: 'The calls that belong together, such as those of one import.' },
  ),
);
const RunCallSchema = named(
  'RunCall',
  strictObject(
    {
      CallID: Uuid,
      JobID: nullable(
        Type.String({ format: 'uuid', description: 'The ID of the job. Null for a synchronous call.' }),
      ),
      Operation,
      SubmittedAt: Moment,
      EndedAt: moment('Null while the call is not completed.'),
      Records: Count,
      RecordsFailed: Count,
      Users: Count,
    },
    { description: 'A call or job of a run.' },
  ),
);

const RunPath = pathOf('RUN_NOT_FOUND', { id: Uuid });
const noRun = { 404: errorAnswer('There is no such run.', 'RUN_NOT_FOUND') };
const runsAnswers = answers('A page of runs.', page('RunsEnvelope', RunSchema));
const runAnswers = answers('The run and its calls.', page('RunEnvelope', RunCallSchema, RunSchema), noRun);
const undoAnswers = {
  ...upsertAnswers,
  ...noRun,
  409: errorAnswer('The run, or a call with this `Idempotency-Key`, has not ended.', 'RUN_NOT_ENDED'),
};
