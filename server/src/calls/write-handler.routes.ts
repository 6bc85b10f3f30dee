import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { OwnCall } from '../accounts/own-password.ts';
import type { SignedInUser } from '../clients/access.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { unavailable } from '../db/errors.ts';
import type { Fingerprint } from '../encryption/key-ring.ts';
import { debugOf, languageOf } from '../http/request-context.ts';
import { isFlagged, mailsPerMinute, representationFor, runOf, wantsAsync } from '../http/request-options.ts';
import { sendEnvelope } from '../http/streaming.ts';
import type { IdempotencyKey } from '../idempotency/idempotency.ts';
import { jobsSeenBy } from '../jobs/job.ts';
import { jobFields } from '../jobs/jobs.routes.ts';
import type { Jobs } from '../jobs/open-jobs.ts';
import type { RecordList } from '../json/record-list.ts';
import { ApiError, isPartOfOutage, wrongParameter } from '../lib/field-errors.ts';
import { type CallOptions, defaultOptions } from '../records/check/operation.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import { tupleTexts } from '../records/read/tuple.ts';
import type { Outcome } from '../records/write/outcome.ts';
import { contentOf, jobEnvelope, outcomesEnvelope } from './call-envelope.ts';
import { deletesUsers } from './deletes-users.ts';
import { handleCall } from './handle-call.ts';
import type { UpsertQuery } from './upsert.schemas.ts';
import {
  type CallTools,
  type DryRunPage,
  type PlannedCall,
  plannedOperations,
  type WriteCall,
  type WriteResult,
} from './write-call.ts';

export interface WriteRouteTools {
  readonly callTools: CallTools;
  readonly jobs: Jobs['store'];
  changeOwnPassword(call: OwnCall): Promise<Outcome>;
}

/** The parameters of the operations. An operation does not have all of them. */
type Query = Partial<Static<typeof UpsertQuery>>;

/** See `InviteRules`. */
function codesFor(request: FastifyRequest): CallOptions['codes'] {
  if (wantsAsync(request.headers) || isFlagged(request, 'dryRun')) return 'later';
  return representationFor(request) ? 'answered' : 'refused';
}

/** Reads the options of a call. `showsStored` and the like depend on the caller. */
function optionsOf(request: FastifyRequest, operation: OperationName): CallOptions {
  const { permissions, tags: callerTags } = request.caller;
  const { missing, passwords, existing, similar, moves } = { ...defaultOptions, ...(request.query as Query) };
  if (missing === 'delete' && !isFlagged(request, 'dryRun')) request.requirePermission('records.delete');
  // Every stored user is missing from a record that may only contain new ones.
  if (existing === 'refuse' && missing !== 'keep')
    throw wrongParameter('missing', 'exclusive', { other: 'existing' });
  if (existing === 'refuse' && moves === 'allow')
    throw wrongParameter('moves', 'exclusive', { other: 'existing' });
  return {
    missing,
    passwords,
    existing,
    similar,
    moves,
    codes: codesFor(request),
    perMinute: mailsPerMinute(request),
    run: operation === 'undo' ? (request.params as { id: string }).id.toLowerCase() : null,
    showsStored: permissions.has('records.read'),
    resetsOnly: !permissions.has('records.write'),
    callerTags,
  };
}

function plannedCall(request: FastifyRequest): PlannedCall {
  return {
    expectedPlan: readPlan(request.headers['if-match']),
    page: pageOf(request.query as Query),
    withUsers: representationFor(request) !== null,
  };
}

/** Reads the plan in `If-Match`. `*` and weak tags are refused: they name no plan. */
function readPlan(header: string | undefined): string | null {
  if (header === undefined) return null;
  const plan = /^\s*"?([\w-]{43})"?\s*$/.exec(header)?.[1];
  if (plan === undefined) throw wrongParameter('If-Match', 'plan');
  return plan;
}

const defaultPageSize = 100;

/** Returns the page of a dry run; null if the query selects no part of the tuples. */
function pageOf({ dryRun = false, changed = false, page, pageSize }: Query): DryRunPage | null {
  const selects = { changed: changed || undefined, page, pageSize };
  const [name] = Object.entries(selects).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return null;
  if (!dryRun) throw wrongParameter(name, 'dryRun');
  const size = page === undefined ? pageSize : (pageSize ?? defaultPageSize);
  return { changedOnly: changed, page: page ?? 1, pageSize: size ?? null };
}

/** Returns the handler of a write operation. */
export function writeHandler(
  operation: OperationName,
  tools: WriteRouteTools,
  handle: (call: WriteCall, tools: CallTools) => Promise<WriteResult> = handleCall,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.caller.user) return updateSelf(request.caller.user, request, reply, tools);
    const options = optionsOf(request, operation);
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
      planned: plannedOperations.includes(operation) ? plannedCall(request) : null,
      holdMemory: (bytes: number) => request.received.reserve(bytes),
      signal: request.received.signal,
      report(error: unknown) {
        if (!isPartOfOutage(error)) failures.push(error);
      },
    };
    const result = await handle(call, tools.callTools);
    const failed = { err: failures[0], operation, records: failures.length };
    if (failures.length > 0) request.log.error(failed, 'unexpected error while processing records');
    if (options.resetsOnly && result.kind !== 'job' && result.outcomes.some(isRefusedByRole))
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
  jobs: Jobs['store'],
) {
  // A submitted job is answered with 202 even if this read fails: a client that gets an error sends the call again.
  const job = await jobs.find(jobId, jobsSeenBy(request.caller)).catch((error) => {
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
  }
}

/**
 * Returns a function that starts the fingerprint of a request with an idempotency key; null without a key. The route is
 * part of the fingerprint, because the same body means different things on different routes.
 */
export function fingerprintBy(
  newFingerprint: () => Fingerprint,
): (request: FastifyRequest) => Fingerprint | null {
  return (request) => {
    if (keyText(request) === null) return null;
    return newFingerprint().update(`${request.routeOptions.url}\n${optionsText(request.query as Query)}`);
  };
}

/** Returns the options as a line of the fingerprint: the same records with other options are another call. */
function optionsText({ missing, passwords, existing, similar = 'allow', moves, perMinute }: Query): string {
  const isUpsert = missing !== undefined;
  const isUsual = similar === 'allow' && moves !== 'allow' && !perMinute;
  const listed = [
    ...(isUpsert ? [missing, passwords, existing] : []),
    ...(isUsual ? [] : [similar, ...(isUpsert ? [moves] : []), perMinute]),
  ];
  return listed.length === 0 ? '' : `${JSON.stringify(listed)}\n`;
}

function idempotencyKeyOf(request: FastifyRequest): IdempotencyKey | null {
  const text = keyText(request);
  const { fingerprints } = request.received;
  return text !== null && fingerprints ? { text, fingerprints } : null;
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
