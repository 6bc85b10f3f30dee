import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { readGroup } from '../db/paging.ts';
import { type ParameterValues, preparedStatement, statement } from '../db/statement.ts';
import {
  type Action,
  type Actor,
  type AuditListing,
  type AuditLog,
  type AuditPage,
  type AuditRow,
  type AuditStore,
  noChanges,
  type SomeChanges,
} from './audit-log.ts';
import { bytesOfAnswer, readBounded } from './bounded-rows.store.ts';
import { allChanges, readChanges } from './changes.store.ts';
import { type Entry, eventActions } from './events.ts';
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
  (select name from anagrafe.clients where clients.id = client_id) as "clientName",
  request_id as "requestId", call_id as "callId", action, principal_id as "principalId",
  to_json(registered) as registered, to_json(reset) as reset, to_json(deleted) as deleted, details,
  change_id as "changeId", position, hash`;

export function openAuditStore(database: Database): AuditStore {
  return storeWithApiErrors<AuditStore>({
    page: (listing) => readGroup(() => page(database, listing)),
    changesOf: (rows) => readGroup(() => changesOf(database, rows)),
    changesAt: (position, asked) => readGroup(() => changesAt(database, position, asked)),
    inSnapshot: (work) =>
      database.transaction(
        async (connection) => {
          await connection.query('set transaction isolation level repeatable read, read only');
          return work({
            chain: await readChain(connection),
            hashedRows: () => allHashedRows(connection),
            rows: () => allRows(connection),
            changes: (row) => allChanges(connection, row),
          });
        },
        { patient: true },
      ),
  });
}

/** Literals instead of parameters, so that the planner can use the partial indexes on these actions. */
function listed(actions: readonly Action[]): string {
  return actions.map((action) => `'${action}'`).join(', ');
}
export const eventActionsSql = listed(eventActions);

const signInActions: readonly Action[] = [
  'login',
  'login.failed',
  'login.reused',
  'logout',
  'password.forgotten',
];
const changeActions: readonly Action[] = [
  'insert',
  'update',
  'state',
  'delete',
  'sessions.ended',
  'invitations.issued',
];

/** Conditions that divide the rows of a listing so that each part has an index in the order of the positions. */
function partsOf({ principalId, reads }: Pick<AuditListing, 'principalId' | 'reads'>): string[] {
  if (principalId !== null) {
    const changes = `principal_id = :principalId and action <> 'records.read'`;
    return reads ? [changes, `principal_id = :principalId and action = 'records.read'`] : [changes];
  }
  if (reads) return ['true'];
  return [`action in (${eventActionsSql})`, `action not in (${eventActionsSql}, 'records.read')`];
}

/**
 * Number of rows that a page with filters examines at most. Filters that select few of many rows need several pages,
 * some of which are empty.
 */
export const examinedAtOnce = 20_000;

async function page(connection: Connection, listing: AuditListing): Promise<AuditPage> {
  const { order, limit, after, userId, signIns, action, actor, clientId, from, until } = listing;
  const start = after ?? (order === 'newest' ? Number.MAX_SAFE_INTEGER : 0);
  const values: ParameterValues = { ...listing, start };
  const direction = order === 'newest' ? 'desc' : 'asc';
  const bounds = [`position ${order === 'newest' ? '<' : '>'} :start`];
  if (from) bounds.push(`position >= (${positionNear(':from', 'from')})`);
  if (until) bounds.push(`position <= (${positionNear(':until', 'until')})`);
  const filters: string[] = [];
  if (signIns !== null) filters.push(`action in (${listed(signIns ? signInActions : changeActions)})`);
  if (action) filters.push('action = :action');
  if (actor) filters.push('actor = :actor');
  if (clientId !== null) filters.push('client_id = :clientId');
  if (from) filters.push('at >= :from');
  if (until) filters.push('at < :until');
  if (userId === null && filters.length === 0) {
    const conditions = partsOf(listing).map((part) => `${bounds.join(' and ')} and ${part}`);
    return boundedPage(connection, { conditions, order: direction, limit }, values, after);
  }
  if (userId !== null && listing.principalId !== null) filters.push('principal_id = :principalId');
  if (userId !== null && !listing.reads) filters.push(`action <> 'records.read'`);
  const source = userId === null ? 'audit_log_hashed' : 'audit_users';
  const parts = userId === null ? partsOf(listing) : ['user_id = :userId'];
  const examined = parts.map(
    (part) => `(select position from anagrafe.${source} where ${bounds.join(' and ')} and ${part}
                 order by position ${direction} limit ${examinedAtOnce})`,
  );
  const [found] = await connection.execute<{ positions: number[]; last: number | null }>(
    statement(
      `with examined as materialized (
         select position from (${examined.join(' union all ')}) as part order by position ${direction} limit ${examinedAtOnce}
       ), matching as (
         select position from examined cross join lateral (
           select from anagrafe.audit_log_hashed as row
            where ${['row.position = examined.position', ...filters].join(' and ')} limit 1) as matched
          order by position ${direction} limit :limit::integer + 1
       )
       select array(select position from matching) as positions,
              (select ${order === 'newest' ? 'min' : 'max'}(position) from examined having count(*) = ${examinedAtOnce}) as last`,
    ),
    values,
  );
  const { positions = [], last = null } = found ?? {};
  const conditions = ['position = any(:positions::bigint[])'];
  const read = await boundedPage(connection, { conditions, order: direction, limit }, { positions }, after);
  return read.more || last === null ? read : { ...read, after: last, more: true };
}

async function boundedPage(
  connection: Connection,
  options: { readonly conditions: readonly string[]; readonly order: 'asc' | 'desc'; readonly limit: number },
  values: ParameterValues,
  after: number | null,
): Promise<AuditPage> {
  const bounded = { columns: auditColumns, key: 'position', bytes: bytesOfAnswer, ...options } as const;
  const { rows, more } = await readBounded<AuditRow>(connection, bounded, values);
  return { rows, more, after: rows.at(-1)?.position ?? after };
}

async function changesOf(
  connection: Connection,
  rows: readonly AuditRow[],
): Promise<ReadonlyMap<AuditRow, SomeChanges>> {
  const ids = rows.map(({ changeId }) => changeId).filter((id) => id !== null);
  const found = await readChanges(connection, ids);
  return new Map(rows.map((row) => [row, found.get(row.changeId ?? '') ?? noChanges]));
}

async function changesAt(
  connection: Connection,
  position: number,
  asked: { readonly after: number; readonly limit: number },
): Promise<SomeChanges | null> {
  const [row] = await connection.query<Pick<AuditRow, 'changeId'>>(
    'select change_id as "changeId" from anagrafe.audit_log_hashed where position = $1',
    [position],
  );
  if (!row) return null;
  const { changeId } = row;
  if (changeId === null) return noChanges;
  return (await readChanges(connection, [changeId], asked)).get(changeId) ?? noChanges;
}

/** Positions begin at 1. A row below that is forged; it comes first, so that the verification reports it. */
async function* allHashedRows(connection: Connection): AsyncGenerator<HashedRow> {
  yield* await connection.query<HashedRow>(
    `select position, hash, '' as text, true as "valuesMatch" from anagrafe.audit_log where position < 1 order by position limit 1`,
  );
  yield* hashedRows(connection);
}

async function* allRows(connection: Connection): AsyncGenerator<AuditRow> {
  yield* keysetPages(Number.MIN_SAFE_INTEGER, 'position', (start) =>
    boundedPage(
      connection,
      { conditions: ['position > :start'], order: 'asc', limit: rowsAtOnce },
      { start },
      start,
    ),
  );
  yield* keysetPages(0, 'id', (after) =>
    readBounded<AuditRow>(
      connection,
      { columns: auditColumns, key: 'id', conditions: ['id > :after'], order: 'asc', limit: rowsAtOnce },
      { after },
    ),
  );
}

/**
 * SQL for a bound of the positions of the rows since (`from`) or before (`until`) a time. It is 10,000 positions away
 * from the row at that time, because positions are assigned shortly after `at`, and not exactly in its order. Without
 * such a row, the bound excludes every row.
 */
export function positionNear(time: string, bound: 'from' | 'until'): string {
  const [compare, order, slack, none] =
    bound === 'from' ? ['>=', 'asc', -10_000, Number.MAX_SAFE_INTEGER] : ['<', 'desc', 10_000, 0];
  return `select coalesce(min(position) + ${slack}, ${none}) from (
    select position from anagrafe.audit_log_hashed where at ${compare} ${time} order by at ${order} limit 1) as nearest`;
}

export const entryColumns = `position, at, call_id as "callId", request_id as "requestId", action,
  principal_id as "principalId", registered, reset, deleted, details,
  (select name from anagrafe.clients where clients.id = client_id and is_operator) as operator`;

/** Reads the first entries of the hash chain that match a condition; see `readBounded`. */
export async function readEntries(
  connection: Connection,
  condition: string,
  options: {
    readonly order: 'asc' | 'desc';
    readonly limit: number;
    readonly bytes?: number;
    /** Default: `entryColumns`. */
    readonly columns?: string;
  },
  values: ParameterValues,
): Promise<{ entries: readonly Entry[]; more: boolean }> {
  const { rows, more } = await readBounded<Entry>(
    connection,
    { columns: entryColumns, key: 'position', conditions: [condition], ...options },
    values,
  );
  return { entries: rows, more };
}
