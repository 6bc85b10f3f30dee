import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { eventNamesOf } from '../db/lookups.ts';
import { type Order, readGroup } from '../db/paging.ts';
import { type ParameterValues, preparedStatement } from '../db/statement.ts';
import type { Actor, AuditListing, AuditLog, AuditRow, AuditStore } from './audit-log.ts';
import { bytesOfAnswer, readBounded } from './bounded-rows.store.ts';
import { type Entry, type EventStore, eventActions } from './events.ts';
import { hashedRows, keysetPages, readChain } from './hash-chain.store.ts';
import type { HashedRow } from './hash-chain.ts';

export const actorColumns = 'actor, client_id, user_id, address, request_id, call_id';

/** The parameters for `actorColumns`. `actorValues` returns their values. */
export const actorParameters =
  ':actorKind::text, :actorClientId::bigint, :actorUserId::bigint, :actorAddress::inet, :requestId::text, :callId::uuid';

export function actorValues(actor: Actor, callId: string | null = null): ParameterValues {
  return {
    actorKind: actor.kind,
    actorClientId: actor.clientId,
    actorUserId: actor.userId,
    actorAddress: actor.address,
    requestId: actor.requestId,
    callId,
  };
}

const appendRow = preparedStatement(
  'append an audit row',
  `insert into anagrafe.audit_log (${actorColumns}, action, principal_id, details)
   values (${actorParameters}, :action, :principalId, :details::jsonb)`,
);

export function openAuditLog(connection: Connection): AuditLog {
  return storeWithApiErrors<AuditLog>({
    async note(actor, { action, principalId = null, callId = null, details = null }) {
      const values = { ...actorValues(actor, callId), action, principalId, details };
      await connection.execute(appendRow, values);
    },
  });
}

/** Rows per query of an export. */
const rowsAtOnce = 100;

const auditColumns = `id, at, actor as kind, client_id as "clientId", user_id as "userId", host(address) as address,
  request_id as "requestId", call_id as "callId", action, principal_id as "principalId",
  to_json(registered) as registered, to_json(reset) as reset, to_json(deleted) as deleted, details,
  position, hash`;

export function openAuditStore(database: Database): AuditStore {
  return storeWithApiErrors<AuditStore>({
    page: (listing) => readGroup(() => page(database, listing)),
    inSnapshot: (work) =>
      database.transaction(
        async (connection) => {
          await connection.query('set transaction isolation level repeatable read, read only');
          return work({
            chain: await readChain(connection),
            hashedRows: () => allHashedRows(connection),
            rows: () => allRows(connection),
          });
        },
        { patient: true },
      ),
  });
}

/** Literals instead of parameters, so that the planner can use the partial indexes on these actions. */
const eventActionsSql = eventActions.map((action) => `'${action}'`).join(', ');

/** Conditions that divide the rows of a listing so that each part has an index in the order of the positions. */
function partsOf({ principalId, reads }: Pick<AuditListing, 'principalId' | 'reads'>): string[] {
  if (principalId !== null) {
    const changes = `principal_id = $2 and action <> 'records.read'`;
    return reads ? [changes, `principal_id = $2 and action = 'records.read'`] : [changes];
  }
  if (reads) return ['true'];
  return [`action in (${eventActionsSql})`, `action not in (${eventActionsSql}, 'records.read')`];
}

function page(
  connection: Connection,
  { order, after, limit, principalId, reads }: AuditListing,
): Promise<{ rows: readonly AuditRow[]; more: boolean }> {
  const isNewest = order === 'newest';
  const start = isNewest ? Number.MAX_SAFE_INTEGER : 0;
  const conditions = partsOf({ principalId, reads }).map(
    (condition) => `position ${isNewest ? '<' : '>'} $1 and ${condition}`,
  );
  return readBounded<AuditRow>(
    connection,
    {
      columns: auditColumns,
      key: 'position',
      conditions,
      order: isNewest ? 'desc' : 'asc',
      limit,
      bytes: bytesOfAnswer,
    },
    [after ?? start, ...(principalId === null ? [] : [principalId])],
  );
}

/** Positions begin at 1. A row below that is forged; it comes first, so that the verification reports it. */
async function* allHashedRows(connection: Connection): AsyncGenerator<HashedRow> {
  yield* await connection.query<HashedRow>(
    `select position, hash, '' as text from anagrafe.audit_log where position < 1 order by position limit 1`,
  );
  yield* hashedRows(connection);
}

async function* allRows(connection: Connection): AsyncGenerator<AuditRow> {
  yield* keysetPages(Number.MIN_SAFE_INTEGER, 'position', (after) =>
    page(connection, { order: 'oldest', after, limit: rowsAtOnce, principalId: null, reads: true }),
  );
  yield* keysetPages(0, 'id', (after) =>
    readBounded<AuditRow>(
      connection,
      { columns: auditColumns, key: 'id', conditions: ['id > $1'], order: 'asc', limit: rowsAtOnce },
      [after],
    ),
  );
}

export const entryColumns = `position, at, call_id as "callId", request_id as "requestId", action,
  principal_id as "principalId", registered, reset, deleted, details`;

/**
 * SQL for a lower bound of the positions of the last `$2` days. It subtracts 10,000 because positions are assigned
 * shortly after `at`, and not exactly in its order. Without a row that recent, the bound excludes every row.
 */
const oldestPosition = `select coalesce(min(position) - 10000, ${Number.MAX_SAFE_INTEGER}) from (
  select position from anagrafe.audit_log where at > now() - make_interval(days => $2) and position is not null
   order by at limit 1) as young`;

const bounds: Readonly<Record<Order, string>> = {
  oldest: `position >= greatest($1, (${oldestPosition}))`,
  newest: `position <= $1 and position >= (${oldestPosition})`,
};

/** Reads the first entries of the hash chain that match a condition; see `readBounded`. */
export async function readEntries(
  connection: Connection,
  condition: string,
  options: { readonly order: 'asc' | 'desc'; readonly limit: number; readonly bytes?: number },
  values: readonly unknown[],
): Promise<{ entries: readonly Entry[]; more: boolean }> {
  const { rows, more } = await readBounded<Entry>(
    connection,
    { columns: entryColumns, key: 'position', conditions: [condition], ...options },
    values,
  );
  return { entries: rows, more };
}

/** Reads events from the rows of the hash chain. `days` is how long an event stays available. */
export function openEvents(database: Database, options: { days: number }): EventStore {
  return storeWithApiErrors<EventStore>({
    entries: (order, from, limit) =>
      readEntries(
        database,
        `${bounds[order]} and action in (${eventActionsSql}) and at > now() - make_interval(days => $2)`,
        { order: order === 'newest' ? 'desc' : 'asc', limit, bytes: bytesOfAnswer },
        [from, options.days],
      ),
    end: async () => (await readChain(database)).lastPosition,
    names: (subjects) => eventNamesOf(database, subjects),
  });
}
