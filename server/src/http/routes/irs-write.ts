import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '../../core/records/outcome.ts';
import { type CallContext, unavailable } from '../../core/records/writing.ts';
import { debugOf, languageOf } from '../call.ts';
import { outcomesEnvelope } from '../envelope.ts';
import type { Metrics } from '../metrics.ts';
import { wantsRepresentation } from '../preferences.ts';
import { writeAnswers } from '../schemas/answers.ts';
import { CallQuery, InsertBody, UpdateBody, WriteHeaders } from '../schemas/requests.ts';

type Write = (body: unknown, context: CallContext) => Promise<Outcome[]>;

export interface WritingCalls {
  readonly update: Write;
  readonly insert: Write;
}

/** `irs/update` and `irs/insert`: many records in, one tuple per record out. */
export function writeRoutes(app: FastifyInstance, calls: WritingCalls, metrics: Metrics): void {
  const config = { scope: 'sync:write' } as const;

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
      querystring: CallQuery,
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
      querystring: CallQuery,
      headers: WriteHeaders,
      body: InsertBody,
      response: writeAnswers,
    },
    handler: (request, reply) => write('insert', request, reply),
  });

  async function write(operation: 'update' | 'insert', request: FastifyRequest, reply: FastifyReply) {
    const failures: unknown[] = [];
    const context = {
      share: String(request.caller.clientId),
      report: (error: unknown) => failures.push(error),
    };
    const outcomes = await calls[operation](request.body, context);
    metrics.recordsDone(operation, outcomes);
    if (failures.length > 0) {
      request.log.error({ err: failures[0], operation, records: failures.length }, 'records failed');
    }
    const language = languageOf(request);
    const representation = wantsRepresentation(request.headers);
    const envelope = outcomesEnvelope(outcomes, {
      language,
      representation,
      request: request.id,
      debug: debugOf(request),
    });
    if (representation && envelope.statusCode < 400)
      reply.header('preference-applied', 'return=representation');
    if (envelope.statusCode === 503) reply.header('retry-after', unavailable().retryAfterSeconds);
    return reply.code(envelope.statusCode).header('content-language', language).send(envelope);
  }
}
