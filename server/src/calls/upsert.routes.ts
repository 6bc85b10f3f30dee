import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { representationFor } from '../http/request-options.ts';
import type { Api, Validated } from '../http/validation.ts';
import { wrongParameter } from '../lib/field-errors.ts';
import type { CallOptions } from '../records/check/operation.ts';
import { MergeQuery, UpsertHeaders, UpsertQuery, upsertAnswers } from './upsert.schemas.ts';
import { type WriteRouteTools, writeHandler } from './write.routes.ts';
import { MergeBody, UpsertBody } from './write-bodies.schemas.ts';
import type { DryRunPage, PlannedCall } from './write-call.ts';

type Query = Validated<Static<typeof UpsertQuery>>;

/** Registers `irs/upsert`: inserts what is missing, changes what differs, and leaves equal records as they are. */
export function upsertRoutes(app: Api, tools: WriteRouteTools): void {
  app.route({
    method: 'POST',
    url: '/irs/upsert',
    config: { permission: 'records.write', limited: true, once: true, records: true, optionsOf },
    schema: {
      operationId: 'upsert',
      summary: 'Insert and update principals with their users',
      description:
        'Finds each principal by its `ExternalKey` or `ID` and its users by `Username`. Inserts what is missing, changes what differs, and leaves equal principals and users as they are. A field that is absent is left alone. A record is applied completely or not at all. With `dryRun=true` the response is the plan; with `If-Match` the call is applied only while that plan holds.',
      tags: ['irs'],
      querystring: UpsertQuery,
      headers: UpsertHeaders,
      body: UpsertBody,
      response: upsertAnswers,
    },
    handler: writeHandler('upsert', tools, { optionsOf: readOptions, planOf: readPlanned }),
  });
  mergeRoute(app, tools);
}

/** Registers `irs/merge`: moves the users of one principal to another one, and keeps its external key as an alias. */
function mergeRoute(app: Api, tools: WriteRouteTools): void {
  app.route({
    method: 'POST',
    url: '/irs/merge',
    config: { permission: 'records.delete', limited: true, once: true, records: true },
    schema: {
      operationId: 'merge',
      summary: 'Merge principals',
      description:
        'Moves the users of the principal in `From` to the principal that the record names, with their IDs and passwords, and deletes the principal in `From`. Its external key becomes an alias, which names the other principal from then on. The other principal keeps its values and gets those that it lacks; `Kept` lists the values that differ. A record is applied completely or not at all. With `dryRun=true` the response is the plan. A merge cannot be undone.',
      tags: ['irs'],
      querystring: MergeQuery,
      headers: UpsertHeaders,
      body: MergeBody,
      response: upsertAnswers,
    },
    handler: writeHandler('merge', tools, { optionsOf: () => ({}), planOf: readPlanned }),
  });
}

function readPlanned(request: FastifyRequest): PlannedCall {
  const query = request.query as Query;
  return {
    expectedPlan: readPlan(request.headers['if-match']),
    page: pageOf(query),
    withUsers: representationFor(request) !== null,
  };
}

/** The options are part of the fingerprint: the same records with other options are another call. */
function optionsOf(request: FastifyRequest): string {
  const { missing, passwords, existing, similar, moves, perMinute } = request.query as Query;
  const later = similar === 'allow' && moves === 'refuse' && !perMinute ? [] : [similar, moves, perMinute];
  return `${JSON.stringify([missing, passwords, existing, ...later])}\n`;
}

function readOptions(request: FastifyRequest): Partial<CallOptions> {
  const { missing, passwords, existing, similar, moves, dryRun } = request.query as Query;
  if (missing === 'delete' && !dryRun) request.requirePermission('records.delete');
  // Every stored user is missing from a record that may only contain new ones.
  if (existing === 'refuse' && missing !== 'keep')
    throw wrongParameter('missing', 'exclusive', { other: 'existing' });
  if (existing === 'refuse' && moves === 'allow')
    throw wrongParameter('moves', 'exclusive', { other: 'existing' });
  return { missing, passwords, existing, similar, moves };
}

/** Reads the plan in `If-Match`. `*` and weak tags are refused: they name no plan. */
export function readPlan(header: string | undefined): string | null {
  if (header === undefined) return null;
  const plan = /^\s*"?([\w-]{43})"?\s*$/.exec(header)?.[1];
  if (plan === undefined) throw wrongParameter('If-Match', 'plan');
  return plan;
}

/** Returns the page of a dry run; null if the query selects no part of the tuples. */
export function pageOf({
  dryRun = false,
  changed = false,
  page,
  pageSize,
}: Pick<Query, 'dryRun' | 'changed' | 'page' | 'pageSize'>): DryRunPage | null {
  const selects = { changed: changed || undefined, page, pageSize };
  const [name] = Object.entries(selects).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return null;
  if (!dryRun) throw wrongParameter(name, 'dryRun');
  const size = page === undefined ? pageSize : (pageSize ?? defaultPageSize);
  return { changedOnly: changed, page: page ?? 1, pageSize: size ?? null };
}

const defaultPageSize = 100;
