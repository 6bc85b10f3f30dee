import type { CallListing, CallStore, CompletedCall } from '../core/journal/calls.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';

const callColumns = `at, actor, client_id as "clientId", user_id as "userId", host(address) as address,
  request_id as "requestId", call_id as "callId", details ->> 'operation' as operation,
  (details -> 'records')::integer as records, (details -> 'recordsFailed')::integer as "recordsFailed",
  (details -> 'users')::integer as users, (details -> 'usersApplied')::integer as "usersApplied"`;

/** Calls that were answered at once, out of the journal; those that have no place in it yet included. */
export function openCompletedCalls(database: Database): CallStore {
  return { list: (listing) => reading(() => list(database, listing)) };
}

async function list(database: Database, { page, pageSize, failedOnly }: CallListing) {
  const failed = failedOnly ? `and details ->> 'recordsFailed' <> '0'` : '';
  const matches = `from anagrafe.journal where action = 'call.completed' ${failed}`;
  const [counted, calls] = await Promise.all([
    database.query<{ total: number }>(`select count(*) as total ${matches}`),
    database.query<CompletedCall>(`select ${callColumns} ${matches} order by id desc limit $1 offset $2`, [
      pageSize,
      pageSize * (page - 1),
    ]),
  ]);
  return { calls, totalCount: counted[0]?.total ?? 0 };
}
