import type { Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { elementsAtOnce, selectByKeys } from '../db/statement.ts';
import type { StoredPrincipal } from './compared-values.ts';
import { openRecordStore } from './records.store.ts';
import type { UpsertStore } from './upsert.ts';
import type { OwnUser } from './upsert-missing.ts';

export function openUpsertStore(database: Database): UpsertStore {
  return {
    ...openRecordStore(database),
    usersOfPrincipals: (principals, options) => usersOfPrincipals(database, principals, options),
    findPasswordHashes: (ids) => withApiErrors(() => findPasswordHashes(database, ids)),
  };
}

const hashesById = selectByKeys('id, password_hash as hash', 'users', 'id', 'bigint');

async function findPasswordHashes(database: Database, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await database.query<{ id: number; hash: string }>(hashesById, [ids]);
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

const ownUserColumns = `id, principal_id as "principalId", username, username_key as "usernameKey", email`;

/** Yields at most about `elementsAtOnce` users at a time: several small principals, or a part of a large one. */
async function* usersOfPrincipals(
  database: Database,
  principals: readonly StoredPrincipal[],
  { activeOnly }: { activeOnly: boolean },
): AsyncGenerator<OwnUser[]> {
  const condition = activeOnly ? `and state = 'active'` : '';
  const small: StoredPrincipal[] = [];
  for (const principal of principals) {
    if (principal.usersCount <= elementsAtOnce) small.push(principal);
    else yield* usersOfLarge(database, principal.id, condition);
  }
  for (const group of groupsOf(small)) {
    yield await withApiErrors(() =>
      database.query<OwnUser>(
        `select ${ownUserColumns} from anagrafe.users where principal_id = any($1) ${condition}
          order by principal_id, id`,
        [group],
      ),
    );
  }
}

async function* usersOfLarge(
  database: Database,
  principalId: number,
  condition: string,
): AsyncGenerator<OwnUser[]> {
  for (let after = 0; ; ) {
    const rows = await withApiErrors(() =>
      database.query<OwnUser>(
        `select ${ownUserColumns} from anagrafe.users where principal_id = $1 and id > $2 ${condition}
          order by id limit ${elementsAtOnce}`,
        [principalId, after],
      ),
    );
    yield rows;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < elementsAtOnce) return;
  }
}

/** Groups principals that have at most `elementsAtOnce` users together. */
function* groupsOf(principals: readonly StoredPrincipal[]): Generator<number[]> {
  let group: number[] = [];
  let users = 0;
  for (const { id, usersCount } of principals) {
    if (group.length > 0 && users + usersCount > elementsAtOnce) {
      yield group;
      group = [];
      users = 0;
    }
    group.push(id);
    users += usersCount;
  }
  if (group.length > 0) yield group;
}
