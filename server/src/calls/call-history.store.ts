import type { Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { countNewest, type Page, pageOfNewest } from '../db/paging.ts';
import { type CallerTags, seesCaller, seesPrincipal } from '../db/visibility.ts';
import {
  failedRecords,
  type KeptErrors,
  type OutcomeRow,
  outcomeColumnsWithoutUsers,
  toFieldErrors,
  toOutcomes,
} from '../records/write/call-outcomes.store.ts';
import type { IndexedOutcome } from '../records/write/outcome.ts';
import {
  type CallHistory,
  type CallListing,
  type CompletedCall,
  type FailureEntry,
  type FailureStore,
  placesListed,
} from './call-history.ts';

const callColumns = `at, actor as kind, client_id as "clientId", user_id as "userId", host(address) as address,
  request_id as "requestId", call_id as "callId", details ->> 'operation' as operation,
  (details -> 'records')::integer as records, (details -> 'recordsFailed')::integer as "recordsFailed",
  (details -> 'users')::integer as users, (details -> 'usersApplied')::integer as "usersApplied",
  (details -> 'milliseconds')::integer as milliseconds`;

/** Reads synchronously answered calls from the audit log, including rows that are not yet part of the hash chain. */
export function openCompletedCalls(database: Database, options: { days: number }): CallHistory {
  return {
    list: (listing, callerTags) =>
      withApiErrors(() => listCalls(database, listing, { ...options, callerTags })),
    find: (id, callerTags) => withApiErrors(() => find(database, id, { ...options, callerTags })),
    outcomes: (callId, listing, callerTags) =>
      withApiErrors(() => outcomes(database, callId, listing, callerTags)),
    failed: (id) => failedRecords(database, id),
  };
}

interface CallScope {
  readonly days: number;
  readonly callerTags: CallerTags;
}

/** Few of the calls may be those that a limited caller sees, so it gets those of the last days only. */
const ofLastDays = `id >= coalesce((select id from anagrafe.audit_log_hashed
  where at > now() - make_interval(days => $2::integer) order by at limit 1), 0)`;

async function listCalls(
  database: Database,
  { failedOnly, ...page }: CallListing,
  { days, callerTags }: CallScope,
) {
  const scope = `($1::text[] is null or ${ofLastDays}) and ${seesCaller('client_id', '$1')}`;
  const failed = failedOnly ? `and details ->> 'recordsFailed' <> '0'` : '';
  const newest = `from anagrafe.audit_log where action = 'call.completed' ${failed} and ${scope} order by id desc`;
  const { limit, offset } = pageOfNewest(page);
  const [totalCount, calls] = await Promise.all([
    countNewest(database, newest, [callerTags, days]),
    database.query<CompletedCall>(`select ${callColumns} ${newest} limit $3 offset $4`, [
      callerTags,
      days,
      limit,
      offset,
    ]),
  ]);
  return { calls, totalCount };
}

async function find(
  database: Database,
  id: string,
  { days, callerTags }: CallScope,
): Promise<CompletedCall | null> {
  const [call] = await database.query<CompletedCall>(
    `select ${callColumns} from anagrafe.audit_log
      where action = 'call.completed' and call_id = $1 and at > now() - make_interval(days => $2)
        and ${seesCaller('client_id', '$3')}`,
    [id, days, callerTags],
  );
  return call ?? null;
}

async function outcomes(
  database: Database,
  callId: string,
  { page, pageSize, failedOnly }: CallListing,
  callerTags: CallerTags,
): Promise<IndexedOutcome[]> {
  const rows = await database.query<OutcomeRow>(
    `select ${outcomeColumnsWithoutUsers} from anagrafe.outcomes
      where call_id = $1 ${failedOnly ? 'and error is not null' : ''}
      order by position limit $2 offset $3`,
    [callId, pageSize, pageSize * (page - 1)],
  );
  return toOutcomes(database, rows, callerTags);
}

export function openFailures(database: Database): FailureStore {
  return { list: (page, callerTags) => withApiErrors(() => listRefused(database, page, callerTags)) };
}

type RefusedRow = Omit<FailureEntry, 'errors'> & { readonly errors: KeptErrors | null };

/** The condition on the call is a subquery, so that the newest outcomes are read by their index. */
const newestRefused = `from anagrafe.outcomes where failed_at is not null
    and ($1::text[] is null or exists (
      select from anagrafe.calls where calls.id = call_id and ${seesCaller('calls.client_id', '$1')}))
  order by failed_at desc, call_id, position`;

async function listRefused(database: Database, page: Page, callerTags: CallerTags) {
  const { limit, offset } = pageOfNewest(page);
  const [totalCount, rows] = await Promise.all([
    countNewest(database, newestRefused, [callerTags]),
    database.query<RefusedRow>(
      `select failed_at as at, call_id as "callId", is_job as "isJob", operation, client_id as "clientId", position,
              principal_id as id, coalesce(outcome.external_key, principals.external_key) as "externalKey", username,
              error, jsonb_array_length(field_errors) as "errorsCount",
              jsonb_path_query_array(field_errors, '$[0 to ${placesListed - 1}]') as errors
         from (select * ${newestRefused} limit $2 offset $3) as outcome
              join anagrafe.calls on calls.id = call_id
              left join anagrafe.principals on principals.id = principal_id and ${seesPrincipal('principals', '$1')}
        order by failed_at desc, call_id, position`,
      [callerTags, limit, offset],
    ),
  ]);
  const refused = rows.map((row) => ({ ...row, errors: toFieldErrors(row.errors).byPlace }));
  return { refused, totalCount };
}
