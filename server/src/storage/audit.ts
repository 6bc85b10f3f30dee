import type { AuditListing, AuditRow, AuditStore } from '../core/journal/audit.ts';
import type { SealedRow } from '../core/journal/chain.ts';
import type { Connection, Database } from './database.ts';
import { reading } from './failures.ts';
import { readChain, sealedRows } from './sequence.ts';

/** A row may name a hundred thousand users. */
const rowsAtOnce = 100;

const auditColumns = `id, at, actor, client_id as "clientId", user_id as "userId", host(address) as address,
  request_id as "requestId", call_id as "callId", action, principal_id as "principalId",
  to_json(registered) as registered, to_json(reset) as reset, details, position, seal`;

export function openAudit(database: Database): AuditStore {
  return {
    page: (listing) => reading(() => page(database, listing)),
    inOneMoment: (work) =>
      reading(() =>
        database.transaction(
          async (connection) => {
            await connection.query('set transaction isolation level repeatable read, read only');
            const chain = await readChain(connection);
            return work({
              chain,
              sealed: () => allSealed(connection),
              rows: () => allRows(connection),
            });
          },
          { patient: true },
        ),
      ),
  };
}

function page(
  connection: Connection,
  { order, after, limit, principalId, reads }: AuditListing,
): Promise<readonly AuditRow[]> {
  const isNewest = order === 'newest';
  const start = isNewest ? Number.MAX_SAFE_INTEGER : 0;
  const ofPrincipal = principalId === null ? '' : 'and principal_id = $3';
  return connection.query<AuditRow>(
    `select ${auditColumns} from anagrafe.journal
      where position ${isNewest ? '<' : '>'} $1 ${ofPrincipal} ${reads ? '' : "and action <> 'records.read'"}
      order by position ${isNewest ? 'desc' : 'asc'} limit $2`,
    [after ?? start, limit, ...(principalId === null ? [] : [principalId])],
  );
}

/** Positions begin at 1: what has one before that was put there by somebody else, and is shown first. */
async function* allSealed(connection: Connection): AsyncGenerator<SealedRow> {
  yield* await connection.query<SealedRow>(
    `select position, seal, '' as text from anagrafe.journal where position < 1 order by position limit 1`,
  );
  yield* sealedRows(connection);
}

async function* allRows(connection: Connection): AsyncGenerator<AuditRow> {
  yield* inPages(Number.MIN_SAFE_INTEGER, 'position', (after) =>
    page(connection, { order: 'oldest', after, limit: rowsAtOnce, principalId: null, reads: true }),
  );
  yield* inPages(0, 'id', (after) =>
    connection.query<AuditRow>(
      `select ${auditColumns} from anagrafe.journal
        where position is null and id > $1 order by id limit ${rowsAtOnce}`,
      [after],
    ),
  );
}

async function* inPages(
  from: number,
  place: 'position' | 'id',
  read: (after: number) => Promise<readonly AuditRow[]>,
): AsyncGenerator<AuditRow> {
  for (let after = from; ; ) {
    const rows = await read(after);
    yield* rows;
    after = rows.at(-1)?.[place] ?? after;
    if (rows.length < rowsAtOnce) return;
  }
}
