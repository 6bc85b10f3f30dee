import type { Database } from '../../db/database.ts';
import { withApiErrors } from '../../db/errors.ts';
import { elementsAtOnce, selectByKeys } from '../../db/statement.ts';
import type { UpsertStore } from '../check/upsert-check.ts';
import type { OwnUser } from '../check/upsert-missing.ts';
import type { StoredPrincipal } from '../fields/compared-values.ts';
import type { OperationStore } from './records.store.ts';

export function openUpsertStore(
  database: Database,
  recordStore: OperationStore,
): UpsertStore & OperationStore {
  return {
    ...recordStore,
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

/** Yields the users of as many principals at a time as have about `elementsAtOnce` users together. */
async function* usersOfPrincipals(
  database: Database,
  principals: readonly StoredPrincipal[],
  { activeOnly, limit }: { readonly activeOnly: boolean; readonly limit: number },
): AsyncGenerator<OwnUser[]> {
  for (const group of groupsOf(principals)) {
    yield await withApiErrors(() =>
      database.query<OwnUser>(
        `select own.* from unnest($1::bigint[]) as wanted (id)
           cross join lateral (
             select ${ownUserColumns} from anagrafe.users
              where principal_id = wanted.id ${activeOnly ? `and state = 'active'` : ''}
              order by id limit $2) as own`,
        [group, limit],
      ),
    );
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
