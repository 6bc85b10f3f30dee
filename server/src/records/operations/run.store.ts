import type { Database } from '../../db/database.ts';
import { storeWithApiErrors } from '../../db/errors.ts';
import { selectByKeys } from '../../db/statement.ts';
import { type CallerTags, shownTags } from '../../db/visibility.ts';
import type { Tags } from '../../lib/tags.ts';
import type { RunValue, StoredValue } from './run-values.ts';

/** Reads the changes of a run, and those that others have made to the same rows since. */
export type RunStore = ReturnType<typeof openRunStore>;

interface ValuesRow extends Pick<RunValue, 'userId' | 'principalId'> {
  readonly changes: readonly (readonly [field: string, old: StoredValue, value: StoredValue])[];
}

/** SQL for the audit rows `row` that no call of the run $1 has written, or a merge, which is not undone. */
const isOther = `not exists (
  select from anagrafe.calls where calls.id = row.call_id and run_id = $1 and operation <> 'merge')`;

const principalsByUser = selectByKeys('id, principal_id as "principalId"', 'users', 'id', 'bigint');

export function openRunStore(database: Database) {
  async function selectIds(sql: string, run: string, ids: readonly number[], ...others: unknown[]) {
    if (ids.length === 0) return new Set<number>();
    const rows = await database.query<{ id: number }>(sql, [run, ids, ...others]);
    return new Set(rows.map(({ id }) => id));
  }

  return storeWithApiErrors({
    /** Returns the values of fields that the run has changed, in the order of the changes. */
    async valuesOfRun(
      run: string,
      {
        principalIds,
        userIds,
        callerTags,
      }: Readonly<Record<'principalIds' | 'userIds', readonly number[]>> & {
        readonly callerTags: CallerTags;
      },
    ): Promise<RunValue[]> {
      if (principalIds.length + userIds.length === 0) return [];
      const rows = await database.query<ValuesRow>(
        `with subject as (
           select changed.* from unnest($2::bigint[]) as wanted (id)
                  cross join lateral (select * from anagrafe.changed_values where principal_id = wanted.id and user_id = 0) as changed
           union all
           select changed.* from unnest($3::bigint[]) as wanted (id)
                  cross join lateral (select * from anagrafe.changed_values where user_id = wanted.id and user_id > 0) as changed)
         select nullif(user_id, 0) as "userId", principal_id as "principalId", changes
           from subject join anagrafe.calls on calls.id = call_id
          where run_id = $1 and operation not in ('merge', 'undo') order by changed_at`,
        [run, principalIds, userIds],
      );
      return rows.flatMap(({ changes, ...subject }) =>
        changes.map(([field, old, value]) => {
          // The tags that a limited caller does not see stay as they are.
          const shown = (stored: StoredValue) =>
            field === 'Tags' ? shownTags(stored as Tags | null, callerTags) : stored;
          return { ...subject, field, old: shown(old), new: shown(value) };
        }),
      );
    },
    /**
     * Returns the principals on which, or on whose users, there was an action that is not of the run. `leaving` are users
     * that the undo moves away, which may have signed in before the run.
     */
    principalsTouched: (run: string, ids: readonly number[], leaving: readonly number[]) =>
      selectIds(
        `select id from unnest($2::bigint[]) as wanted (id)
          where exists (select from anagrafe.audit_log_hashed as row
                         where principal_id = wanted.id and action <> 'records.read' and ${isOther})
             or exists (select from anagrafe.users
                         where principal_id = wanted.id and has_signed_in and users.id <> all ($3::bigint[]))
         union
         select principal_id from anagrafe.audit_log_waiting as row
          where principal_id = any($2) and action <> 'records.read' and ${isOther}`,
        run,
        ids,
        leaving,
      ),
    /** Returns the users on which, or by whom, there was an action that is not of the run. */
    usersTouched: (run: string, ids: readonly number[]) =>
      selectIds(
        `select id from unnest($2::bigint[]) as wanted (id)
          where exists (select from anagrafe.audit_users join anagrafe.audit_log_hashed as row using (position)
                         where audit_users.user_id = wanted.id and action <> 'login.failed' and ${isOther})
             or (select has_signed_in from anagrafe.users where users.id = wanted.id)
         union
         select named from anagrafe.audit_log_waiting as row
                cross join lateral anagrafe.users_named(action, user_id, registered, reset, deleted, details)
          where named = any($2) and action <> 'login.failed' and ${isOther}`,
        run,
        ids,
      ),
    /** Returns the principals that users have, by the IDs of the users. */
    async principalsOfUsers(ids: readonly number[]): Promise<Map<number, number>> {
      if (ids.length === 0) return new Map();
      const rows = await database.query<{ id: number; principalId: number }>(principalsByUser, [ids]);
      return new Map(rows.map(({ id, principalId }) => [id, principalId]));
    },
  });
}
