import type { Connection } from '../db/database.ts';
import type { AuditRow, ChangedValue, SomeChanges } from './audit-log.ts';
import { bytesOfAnswer } from './bounded-rows.store.ts';

/** Maximum number of users of a row, and of a page, whose changed values are read at once. */
export const usersOfRow = 100;
const usersAtOnce = 1000;

interface FoundChanges {
  readonly changeId: string;
  readonly users: number;
  readonly kept: readonly (readonly [
    userId: number,
    changes: readonly (readonly [string, unknown, unknown])[],
  ])[];
}

/**
 * Reads the changed values of audit rows, in their order: those of up to `limit` users of each row, after the user
 * `after`. If the values are large, the last ones are left out.
 */
export async function readChanges(
  connection: Connection,
  changeIds: readonly string[],
  { after = -1, limit = usersOfRow }: { readonly after?: number; readonly limit?: number } = {},
): Promise<ReadonlyMap<string, SomeChanges>> {
  if (changeIds.length === 0) return new Map();
  const found = await connection.query<FoundChanges>(
    `with candidate as materialized (
       select found.*, row_number() over (partition by nth order by user_id) as nth_of_row,
              row_number() over (order by nth, user_id) as number,
              sum(pg_column_size(changes)) over (order by nth, user_id) - pg_column_size(changes) as bytes_before
         from unnest($1::uuid[]) with ordinality as wanted (id, nth)
              cross join lateral (
                select change_id, user_id, changes from anagrafe.changed_values
                 where change_id = wanted.id and user_id > $2 order by user_id limit $3 + 1) as found
     )
     select change_id as "changeId", count(*)::integer as users,
            coalesce(json_agg(json_build_array(user_id, changes) order by user_id) filter (
              where nth_of_row <= $3 and number <= ${usersAtOnce} and bytes_before < ${bytesOfAnswer}), '[]') as kept
       from candidate group by change_id`,
    [changeIds, after, limit],
  );
  return new Map(
    found.map(({ changeId, users, kept }) => {
      const changes = kept.flatMap(([userId, values]) =>
        values.map(([field, old, value]): ChangedValue => {
          return { userId: userId === 0 ? null : userId, field, old, new: value };
        }),
      );
      return [changeId, { changes, more: users > kept.length }];
    }),
  );
}

/** Yields all changed values of a row. */
export async function* allChanges(
  connection: Connection,
  { changeId }: AuditRow,
): AsyncGenerator<ChangedValue> {
  for (let after = -1, more = changeId !== null; more && changeId !== null; ) {
    const page = (await readChanges(connection, [changeId], { after })).get(changeId);
    yield* page?.changes ?? [];
    const last = page?.changes.at(-1);
    after = last?.userId ?? 0;
    more = (page?.more ?? false) && last !== undefined;
  }
}
