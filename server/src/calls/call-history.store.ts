import type { Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { countNewest, type Page, pageOfNewest } from '../db/paging.ts';
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
    list: (listing) => withApiErrors(() => listCalls(database, listing)),
    find: (id) => withApiErrors(() => find(database, id, options.days)),
    outcomes: (callId, listing) => withApiErrors(() => outcomes(database, callId, listing)),
    failed: (id) => failedRecords(database, id),
  };
}

async function listCalls(database: Database, { failedOnly, ...page }: CallListing) {
  const failed = failedOnly ? `and details ->> 'recordsFailed' <> '0'` : '';
  const newest = `from anagrafe.audit_log where action = 'call.completed' ${failed} order by id desc`;
  const { limit, offset } = pageOfNewest(page);
  const [totalCount, calls] = await Promise.all([
    countNewest(database, newest),
    database.query<CompletedCall>(`select ${callColumns} ${newest} limit $1 offset $2`, [limit, offset]),
  ]);
  return { calls, totalCount };
}

async function find(database: Database, id: string, days: number): Promise<CompletedCall | null> {
  const [call] = await database.query<CompletedCall>(
    `select ${callColumns} from anagrafe.audit_log
      where action = 'call.completed' and call_id = $1 and at > now() - make_interval(days => $2)`,
    [id, days],
  );
  return call ?? null;
}

async function outcomes(
  database: Database,
  callId: string,
  { page, pageSize, failedOnly }: CallListing,
): Promise<IndexedOutcome[]> {
  const rows = await database.query<OutcomeRow>(
    `select ${outcomeColumnsWithoutUsers} from anagrafe.outcomes
      where call_id = $1 ${failedOnly ? 'and error is not null' : ''}
      order by position limit $2 offset $3`,
    [callId, pageSize, pageSize * (page - 1)],
  );
  return toOutcomes(database, rows);
}

export function openFailures(database: Database): FailureStore {
  return { list: (page) => withApiErrors(() => listRefused(database, page)) };
}

type RefusedRow = Omit<FailureEntry, 'errors'> & { readonly errors: KeptErrors | null };

const newestRefused =
  'from anagrafe.outcomes where failed_at is not null order by failed_at desc, call_id, position';

async function listRefused(database: Database, page: Page) {
  const { limit, offset } = pageOfNewest(page);
  const [totalCount, rows] = await Promise.all([
    countNewest(database, newestRefused),
    database.query<RefusedRow>(
      `select failed_at as at, call_id as "callId", is_job as "isJob", operation, client_id as "clientId", position,
              principal_id as id, coalesce(outcome.external_key, principals.external_key) as "externalKey", username,
              error, jsonb_array_length(field_errors) as "errorsCount",
              jsonb_path_query_array(field_errors, '$[0 to ${placesListed - 1}]') as errors
         from (select * ${newestRefused} limit $1 offset $2) as outcome
              join anagrafe.calls on calls.id = call_id
              left join anagrafe.principals on principals.id = principal_id
        order by failed_at desc, call_id, position`,
      [limit, offset],
    ),
  ]);
  const refused = rows.map((row) => ({ ...row, errors: toFieldErrors(row.errors).byPlace }));
  return { refused, totalCount };
}
