import type { Hmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OwnCall } from '../accounts/own-password.ts';
import type { SignedInUser } from '../clients/access.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import type { Permission } from '../clients/permissions.ts';
import { unavailable } from '../db/errors.ts';
import { debugOf, languageOf } from '../http/request-context.ts';
import { isFlagged, mailsPerMinute, representationFor, runOf, wantsAsync } from '../http/request-options.ts';
import { sendEnvelope } from '../http/streaming.ts';
import type { IdempotencyKey } from '../idempotency/idempotency.ts';
import { findJob, type JobStore } from '../jobs/job.ts';
import { jobFields } from '../jobs/jobs.routes.ts';
import type { RecordList } from '../json/record-list.ts';
import { ApiError, isPartOfOutage, wrongParameter } from '../lib/field-errors.ts';
import { type CallOptions, defaultOptions } from '../records/check/operation.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import { tupleTexts } from '../records/read/tuple.ts';
import type { Outcome } from '../records/write/outcome.ts';
import { contentOf, jobEnvelope, outcomesEnvelope } from './call-envelope.ts';
import { deletesUsers } from './deletes-users.ts';
import { runCall } from './run-call.ts';
import { InsertQuery, InviteQuery, WriteHeaders, WriteQuery, writeAnswers } from './write.schemas.ts';
import { DeleteBody, InsertBody, InviteBody, StateBody, UpdateBody } from './write-bodies.schemas.ts';
import type { CallTools, PlannedCall, WriteCall, WriteResult } from './write-call.ts';

export interface WriteRouteTools {
  readonly callTools: CallTools;
  readonly jobs: JobStore;
  changeOwnPassword(call: OwnCall): Promise<Outcome>;
}

/** A signed-in user may change its own password. */
const ownPassword = { self: true, beforePasswordChange: true };

const routes = {
  update: {
    summary: 'Register, edit and delete users, reset passwords, edit principals',
    description:
      'Applies the `Operation` of each user. Without `Operation`, a user with a `Username` is registered, and the password of a user with an `ID` is reset. Fields of the principal in the record are changed. A record is applied completely or not at all. Records do not affect each other. `PUT` and `PATCH` are equivalent to `POST`. A signed-in user can only change its own password, with `CurrentPassword`.',
    body: UpdateBody,
    querystring: InviteQuery,
  },
  insert: {
    summary: 'Create principals',
    description:
      'Creates principals, with or without users. `Item1` of each tuple is the ID of the new principal. A record is applied completely or not at all.',
    body: InsertBody,
    querystring: InsertQuery,
  },
  state: {
    summary: 'Disable and enable principals and users',
    description:
      'A disabled user cannot sign in, and its sessions end. The users of a disabled principal cannot sign in, and no users can be registered under it. A record is applied completely or not at all.',
    body: StateBody,
    querystring: WriteQuery,
  },
  invite: {
    summary: 'Invite users to set their passwords',
    description:
      'Gives users a code with which they set their password, for a new and for a forgotten one. Without `Users`, all invited users of the principal get one. An earlier code of the user ends; its present password stays valid until the user sets another one. With `Invite: "code"` and `Prefer: return=representation` the answer has the codes; those of a job are returned by `jobs/{id}/invitations`. With `Invite: "email"` the user gets a mail with a link. A record is applied completely or not at all.',
    body: InviteBody,
    querystring: InviteQuery,
  },
  delete: {
    summary: 'Delete principals and users',
    description:
      'Deletes a principal with all of its users, or, with `Users`, these users of it. Their sessions end, and failed records that name them are emptied. The audit log keeps the IDs. A record is applied completely or not at all.',
    body: DeleteBody,
    querystring: WriteQuery,
  },
};

/** A record of `irs/update` that does more than reset passwords requires `records.write`, too; see `resetsOnly`. */
const required = {
  update: 'passwords.reset',
  insert: 'records.write',
  state: 'states.write',
  invite: 'users.invite',
  delete: 'records.delete',
} as const satisfies Record<keyof typeof routes, Permission>;

const recordConfig = { limited: true, once: true, records: true } as const;

/** The write operations without a plan: answer with one tuple per record, or submit the records as a job. */
export function writeRoutes(app: FastifyInstance, tools: WriteRouteTools): void {
  for (const operation of Object.keys(routes) as (keyof typeof routes)[]) {
    app.route({
      method: 'POST',
      url: `/irs/${operation}`,
      config: {
        permission: required[operation],
        ...recordConfig,
        optionsOf,
        ...(operation === 'update' && ownPassword),
      },
      schema: {
        operationId: operation,
        ...routes[operation],
        tags: ['irs'],
        headers: WriteHeaders,
        response: writeAnswers,
      },
      handler: writeHandler(operation, tools),
    });
  }
  app.route({
    method: ['PUT', 'PATCH'],
    url: '/irs/update',
    config: { permission: required.update, ...recordConfig, ...ownPassword },
    schema: { hide: true, querystring: InviteQuery },
    handler: writeHandler('update', tools),
  });
}

interface InviteOptions {
  readonly similar?: CallOptions['similar'];
  readonly perMinute?: number;
}

function readOptions(request: FastifyRequest): Partial<CallOptions> {
  const { similar } = request.query as InviteOptions;
  return similar === undefined ? {} : { similar };
}

/** See `InviteRules`. */
function codesFor(request: FastifyRequest): CallOptions['codes'] {
  if (wantsAsync(request.headers) || isFlagged(request, 'dryRun')) return 'later';
  return representationFor(request) ? 'answered' : 'refused';
}

/** The options are part of the fingerprint: the same records with other options are another call. */
function optionsOf(request: FastifyRequest): string {
  const { similar = 'allow', perMinute } = request.query as InviteOptions;
  return similar === 'allow' && !perMinute ? '' : `${JSON.stringify([similar, perMinute])}\n`;
}

interface HandlerParts<Request> {
  readonly optionsOf?: (request: Request) => Partial<CallOptions>;
  /** Reads what only an operation with a plan has. */
  readonly planOf?: (request: Request) => PlannedCall;
  readonly run?: (call: WriteCall, tools: CallTools) => Promise<WriteResult>;
}

/** Returns the handler of a write operation. */
export function writeHandler<Request extends FastifyRequest>(
  operation: OperationName,
  tools: WriteRouteTools,
  { optionsOf = readOptions, planOf, run = runCall }: HandlerParts<Request> = {},
) {
  return async (request: Request, reply: FastifyReply) => {
    if (request.caller.user) return updateSelf(request.caller.user, request, reply, tools);
    const { permissions, tags: callerTags } = request.caller;
    const showsStored = permissions.has('records.read');
    const resetsOnly = !permissions.has('records.write');
    const perMinute = mailsPerMinute(request);
    const common = { showsStored, resetsOnly, callerTags, codes: codesFor(request), perMinute };
    const options = { ...defaultOptions, ...optionsOf(request), ...common };
    const body = request.body as RecordList | null;
    const mayDelete = operation === 'update' && 'operator' in request.caller && !isFlagged(request, 'dryRun');
    if (mayDelete && (await deletesUsers(body))) request.requirePermission('records.delete');
    const failures: unknown[] = [];
    const call = {
      operation,
      body,
      clientId: request.caller.clientId,
      actor: actorOf(request),
      key: idempotencyKeyOf(request),
      run: options.run ?? runOf(request),
      dryRun: isFlagged(request, 'dryRun'),
      async: wantsAsync(request.headers),
      options,
      planned: planOf?.(request) ?? null,
      holdMemory: (bytes: number) => request.received.reserve(bytes),
      signal: request.received.signal,
      report(error: unknown) {
        if (!isPartOfOutage(error)) failures.push(error);
      },
    };
    const result = await run(call, tools.callTools);
    const failed = { err: failures[0], operation, records: failures.length };
    if (failures.length > 0) request.log.error(failed, 'unexpected error while processing records');
    if (resetsOnly && result.kind !== 'job' && result.outcomes.some(isRefusedByRole))
      request.recordRefused('records.write');
    if (result.kind !== 'estimate' && result.replayed) reply.header('idempotency-replayed', 'true');
    if (result.kind === 'job') return answerJob(result, request, reply, tools.jobs);
    return answerOutcomes(result, request, reply);
  };
}

const isRefusedByRole = ({ errors }: Outcome) => errors.firstOfKind.has('NOT_PERMITTED');

/** Only `irs/update` admits signed-in users. They send a single record and may not use the options of bulk calls. */
async function updateSelf(
  user: SignedInUser,
  request: FastifyRequest,
  reply: FastifyReply,
  { changeOwnPassword }: WriteRouteTools,
) {
  if (
    idempotencyKeyOf(request) ||
    runOf(request) ||
    wantsAsync(request.headers) ||
    isFlagged(request, 'dryRun')
  )
    throw new ApiError('FORBIDDEN', { variant: 'plainly' });
  const report = (error: unknown) => {
    if (!isPartOfOutage(error))
      request.log.error({ err: error }, 'unexpected error while changing a password');
  };
  const body = request.body as RecordList | null;
  const outcome = await changeOwnPassword({ body, user, actor: actorOf(request), report });
  const state = { replayed: false, complete: true, counts: null };
  return answerOutcomes({ kind: 'outcomes', outcomes: [outcome], ...state }, request, reply);
}

async function answerJob(
  { jobId, job: submitted }: Extract<WriteResult, { kind: 'job' }>,
  request: FastifyRequest,
  reply: FastifyReply,
  jobs: JobStore,
) {
  // A submitted job is answered with 202 even if this read fails: a client that gets an error sends the call again.
  const job = await findJob(jobId, request.caller, jobs).catch((error) => {
    if (!submitted) throw error;
    return submitted;
  });
  const location = `${request.server.prefix}/jobs/${jobId}`;
  const language = languageOf(request);
  reply.header('location', location).header('preference-applied', 'respond-async');
  const envelope = jobEnvelope(jobFields(job), { id: jobId, location }, language, debugOf(request));
  return reply.code(202).header('content-language', language).send(envelope);
}

async function answerOutcomes(
  result: Exclude<WriteResult, { kind: 'job' }>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const language = languageOf(request);
  const { record, page, shown, hasUsers } = contentOf(result);
  const representation = hasUsers ? representationFor(request) : null;
  const isDry = result.kind === 'estimate';
  const envelope = outcomesEnvelope(result.outcomes, {
    language,
    record,
    isDry,
    page,
    requestId: request.id,
  });
  const { statusCode } = envelope;
  if (representation && statusCode < 400) reply.header('preference-applied', 'return=representation');
  if (statusCode === 503) reply.header('retry-after', unavailable().retryAfterSeconds);
  if (isDry && result.estimate.planned) reply.header('etag', `"${result.estimate.planned.plan}"`);
  reply.code(statusCode).header('content-language', language);
  return sendEnvelope(reply, envelope, tupleTexts(shown, language, representation));
}

const keyHeader = 'Idempotency-Key';
const keyLengthMax = 255;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the route accepts an `Idempotency-Key`. A call with a key is handled once. */
    once?: boolean;
    /** Returns the options of the call that are part of the fingerprint, with a line break at the end. */
    optionsOf?(request: FastifyRequest): string;
  }
}

/**
 * Returns a function that starts the fingerprint of a request with an idempotency key; null without a key. The route is
 * part of the fingerprint, because the same body means different things on different routes.
 */
export function fingerprintBy(newFingerprint: () => Hmac): (request: FastifyRequest) => Hmac | null {
  return (request) => {
    if (keyText(request) === null) return null;
    const { url, config } = request.routeOptions;
    return newFingerprint().update(`${url}\n${config.optionsOf?.(request) ?? ''}`);
  };
}

function idempotencyKeyOf(request: FastifyRequest): IdempotencyKey | null {
  const text = keyText(request);
  const { fingerprint } = request.received;
  return text !== null && fingerprint ? { text, fingerprint } : null;
}

function keyText(request: FastifyRequest): string | null {
  const { once } = request.routeOptions.config;
  const sent = request.headers['idempotency-key'];
  // A dry run changes nothing, and must not claim the key of the call that follows it.
  if (!once || sent === undefined || isFlagged(request, 'dryRun')) return null;
  const key = Array.isArray(sent) ? '' : sent;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw wrongParameter(keyHeader, 'key', { max: keyLengthMax });
  return key;
}
