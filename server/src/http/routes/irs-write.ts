import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInUser } from '../../core/access/access.ts';
import type { Estimate } from '../../core/calls/dry-run.ts';
import type { Taken, WriteCall } from '../../core/calls/take.ts';
import { isPartOfOutage, Refusal } from '../../core/faults.ts';
import { findJob, type JobStore } from '../../core/jobs/job.ts';
import type { RecordList } from '../../core/json/record-list.ts';
import type { OperationName } from '../../core/records/operation.ts';
import type { Outcome } from '../../core/records/outcome.ts';
import { unavailable } from '../../core/records/writing.ts';
import type { OwnCall } from '../../core/sessions/own-password.ts';
import { authorOf } from '../access.ts';
import { debugOf, languageOf } from '../call.ts';
import { outcomesEnvelope, takenEnvelope } from '../envelope.ts';
import { idempotencyKeyOf } from '../idempotency.ts';
import { jobFields } from '../job-fields.ts';
import { representationFor, wantsAsync } from '../preferences.ts';
import { isFlagged } from '../query.ts';
import { writeAnswers } from '../schemas/answers.ts';
import { InsertBody, StateBody, UpdateBody, WriteHeaders, WriteQuery } from '../schemas/requests.ts';
import { sendEnvelope } from '../stream.ts';
import { tupleTexts } from '../tuple.ts';

export type TakeCall = (call: WriteCall) => Promise<Taken>;

export type ChangeOwnPassword = (call: OwnCall) => Promise<Outcome>;

interface WriteTools {
  readonly changeOwnPassword: ChangeOwnPassword;
  readonly takeCall: TakeCall;
  readonly jobs: JobStore;
}

/** `irs/update`, `irs/insert` and `irs/state`: many records in, one tuple per record out, at once or as a job. */
export function writeRoutes(app: FastifyInstance, tools: WriteTools): void {
  const { takeCall, jobs } = tools;
  const config = { scope: 'sync:write', query: ['dryRun'], once: true, records: true } as const;

  const ownConfig = { ...config, self: true } as const;

  const update = (request: FastifyRequest, reply: FastifyReply) =>
    request.caller.user ? updateSelf(request.caller.user, request, reply) : write('update', request, reply);
  app.route({
    method: ['PUT', 'PATCH'],
    url: '/irs/update',
    config: ownConfig,
    schema: { hide: true },
    handler: update,
  });
  app.route({
    method: 'POST',
    url: '/irs/update',
    config: ownConfig,
    schema: {
      operationId: 'update',
      summary: 'Register users and reset passwords',
      description:
        'Each user with a `Username` is registered, each with an `ID` gets a new password. A record is applied as a whole or not at all; records are independent of one another. `PUT` and `PATCH` mean the same. A signed-in user may reset its own password, with `CurrentPassword`, and nothing else.',
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

  app.route({
    method: 'POST',
    url: '/irs/state',
    config,
    schema: {
      operationId: 'state',
      summary: 'Disable and enable principals and users',
      description:
        'A disabled user cannot sign in and loses its sessions; under a disabled principal nobody can, and nobody is registered. A record is applied as a whole or not at all.',
      tags: ['irs'],
      querystring: WriteQuery,
      headers: WriteHeaders,
      body: StateBody,
      response: writeAnswers,
    },
    handler: (request, reply) => write('state', request, reply),
  });

  async function write(operation: OperationName, request: FastifyRequest, reply: FastifyReply) {
    const failures: unknown[] = [];
    const body = request.body as RecordList | null;
    request.holdMemory(workingMemory(body));
    const taken = await takeCall({
      operation,
      body,
      clientId: request.caller.clientId,
      author: authorOf(request),
      key: idempotencyKeyOf(request),
      dryRun: isFlagged(request, 'dryRun'),
      async: wantsAsync(request.headers),
      report: (error) => {
        if (!isPartOfOutage(error)) failures.push(error);
      },
    });
    if (failures.length > 0) {
      request.log.error({ err: failures[0], operation, records: failures.length }, 'records failed');
    }
    if (taken.kind !== 'estimate' && taken.replayed) reply.header('idempotency-replayed', 'true');
    if (taken.kind === 'job') return answerJob(taken, request, reply);
    return answerOutcomes(taken, request, reply);
  }

  async function updateSelf(user: SignedInUser, request: FastifyRequest, reply: FastifyReply) {
    // What is for calls of many records is not for the one of a user.
    if (idempotencyKeyOf(request) || wantsAsync(request.headers) || isFlagged(request, 'dryRun'))
      throw new Refusal('FORBIDDEN', { variant: 'plainly' });
    const report = (error: unknown) => {
      if (!isPartOfOutage(error)) request.log.error({ err: error }, 'a password was not changed');
    };
    const body = request.body as RecordList | null;
    const outcome = await tools.changeOwnPassword({ body, user, author: authorOf(request), report });
    const taken = { kind: 'outcomes', outcomes: [outcome], replayed: false, complete: true } as const;
    return answerOutcomes(taken, request, reply);
  }

  async function answerJob(
    { jobId, job: submitted }: Extract<Taken, { kind: 'job' }>,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    // Once it is taken, nothing may make it look as if it were not: whoever is told so sends it again.
    const job = await findJob(jobId, request.caller, jobs).catch((error) => {
      if (!submitted) throw error;
      return submitted;
    });
    const location = `${app.prefix}/jobs/${jobId}`;
    const language = languageOf(request);
    reply.header('location', location).header('preference-applied', 'respond-async');
    const envelope = takenEnvelope(jobFields(job), { id: jobId, location }, language, debugOf(request));
    return reply.code(202).header('content-language', language).send(envelope);
  }
}

/**
 * The most memory that a call takes beside its body, in bytes: a record that is refused is kept, with its errors, until
 * the answer has been read. A body of three bytes for each record would otherwise take a hundred times as much.
 */
function workingMemory(body: RecordList | null): number {
  return (body?.count ?? 0) * 1024 + (body?.users ?? 0) * 512;
}

async function answerOutcomes(
  taken: Exclude<Taken, { kind: 'job' }>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const language = languageOf(request);
  const representation = taken.kind === 'outcomes' ? representationFor(request) : null;
  const estimate = taken.kind === 'estimate' ? estimateFields(taken.estimate) : null;
  const envelope = () =>
    outcomesEnvelope(taken.outcomes, { language, estimate, request: request.id, debug: debugOf(request) });
  const { statusCode } = envelope();
  if (representation && statusCode < 400) reply.header('preference-applied', 'return=representation');
  if (statusCode === 503) reply.header('retry-after', unavailable().retryAfterSeconds);
  reply.code(statusCode).header('content-language', language);
  return sendEnvelope(reply, envelope, tupleTexts(taken.outcomes, language, representation));
}

function estimateFields({ register, reset, recordsFailed, seconds }: Estimate) {
  return {
    Register: register,
    Reset: reset,
    RecordsFailed: recordsFailed,
    EstimatedSeconds: Math.ceil(seconds * 10) / 10,
  };
}
