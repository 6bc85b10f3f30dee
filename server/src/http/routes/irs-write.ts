import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Estimate } from '../../core/calls/dry-run.ts';
import type { Taken, WriteCall } from '../../core/calls/take.ts';
import { findJob, type JobStore } from '../../core/jobs/job.ts';
import type { RecordList } from '../../core/json/record-list.ts';
import type { Language } from '../../core/language/say.ts';
import type { OperationName } from '../../core/records/operation.ts';
import type { Outcome } from '../../core/records/outcome.ts';
import { unavailable } from '../../core/records/writing.ts';
import { debugOf, languageOf } from '../call.ts';
import { outcomesEnvelope, takenEnvelope } from '../envelope.ts';
import { idempotencyKeyOf } from '../idempotency.ts';
import { jobFields } from '../job-fields.ts';
import { wantsAsync, wantsRepresentation } from '../preferences.ts';
import { isFlagged } from '../query.ts';
import { writeAnswers } from '../schemas/answers.ts';
import { InsertBody, UpdateBody, WriteHeaders, WriteQuery } from '../schemas/requests.ts';
import { sendEnvelope } from '../stream.ts';
import { tupleOf } from '../tuple.ts';

export type TakeCall = (call: WriteCall) => Promise<Taken>;

interface WriteTools {
  readonly takeCall: TakeCall;
  readonly jobs: JobStore;
}

/** `irs/update` and `irs/insert`: many records in, one tuple per record out, at once or as a job. */
export function writeRoutes(app: FastifyInstance, { takeCall, jobs }: WriteTools): void {
  const config = { scope: 'sync:write', query: ['dryRun'], once: true, records: true } as const;

  const update = (request: FastifyRequest, reply: FastifyReply) => write('update', request, reply);
  app.route({
    method: ['PUT', 'PATCH'],
    url: '/irs/update',
    config,
    schema: { hide: true },
    handler: update,
  });
  app.route({
    method: 'POST',
    url: '/irs/update',
    config,
    schema: {
      operationId: 'update',
      summary: 'Register users and reset passwords',
      description:
        'Each user with a `Username` is registered, each with an `ID` gets a new password. A record is applied as a whole or not at all; records are independent of one another. `PUT` and `PATCH` mean the same.',
      tags: ['irs'],
      querystring: WriteQuery,
      headers: WriteHeaders,
      body: UpdateBody,
      response: writeAnswers,
    },
    handler: update,
  });

  app.route({
    method: 'POST',
    url: '/irs/insert',
    config,
    schema: {
      operationId: 'insert',
      summary: 'Create principals, with or without users',
      description: '`Item1` of each tuple is the ID of the new principal.',
      tags: ['irs'],
      querystring: WriteQuery,
      headers: WriteHeaders,
      body: InsertBody,
      response: writeAnswers,
    },
    handler: (request, reply) => write('insert', request, reply),
  });

  async function write(operation: OperationName, request: FastifyRequest, reply: FastifyReply) {
    const failures: unknown[] = [];
    const taken = await takeCall({
      operation,
      body: request.body as RecordList | null,
      clientId: request.caller.clientId,
      key: idempotencyKeyOf(request),
      dryRun: isFlagged(request, 'dryRun'),
      async: wantsAsync(request.headers),
      report: (error) => failures.push(error),
    });
    if (failures.length > 0) {
      request.log.error({ err: failures[0], operation, records: failures.length }, 'records failed');
    }
    if (taken.kind !== 'estimate' && taken.replayed) reply.header('idempotency-replayed', 'true');
    if (taken.kind === 'job') return answerJob(taken.jobId, request, reply);
    return answerOutcomes(taken, request, reply);
  }

  async function answerJob(jobId: string, request: FastifyRequest, reply: FastifyReply) {
    const job = await findJob(jobId, request.caller, jobs);
    const location = `${app.prefix}/jobs/${jobId}`;
    const language = languageOf(request);
    reply.header('location', location).header('preference-applied', 'respond-async');
    const envelope = takenEnvelope(jobFields(job), { id: jobId, location }, language, debugOf(request));
    return reply.code(202).header('content-language', language).send(envelope);
  }
}

async function answerOutcomes(
  taken: Exclude<Taken, { kind: 'job' }>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const language = languageOf(request);
  const representation = taken.kind === 'outcomes' && wantsRepresentation(request.headers);
  const estimate = taken.kind === 'estimate' ? estimateFields(taken.estimate) : null;
  const envelope = () =>
    outcomesEnvelope(taken.outcomes, { language, estimate, request: request.id, debug: debugOf(request) });
  const { statusCode } = envelope();
  if (representation && statusCode < 400) reply.header('preference-applied', 'return=representation');
  if (statusCode === 503) reply.header('retry-after', unavailable().retryAfterSeconds);
  reply.code(statusCode).header('content-language', language);
  return sendEnvelope(reply, envelope, tuples(taken.outcomes, language, representation));
}

async function* tuples(outcomes: readonly Outcome[], language: Language, representation: boolean) {
  for (const outcome of outcomes) yield tupleOf(outcome, language, representation);
}

function estimateFields({ register, reset, recordsFailed, seconds }: Estimate) {
  return {
    Register: register,
    Reset: reset,
    RecordsFailed: recordsFailed,
    EstimatedSeconds: Math.ceil(seconds * 10) / 10,
  };
}
