import type { Database } from '../../db/database.ts';
import { withApiErrors } from '../../db/errors.ts';
import { selectByKeys } from '../../db/statement.ts';
import { type CallerTags, shownTags } from '../../db/visibility.ts';
import type { Tags } from '../../lib/tags.ts';
import type { OperationStore } from './records.store.ts';
import type { RunValue, StoredValue } from './run-values.ts';
import type { UndoStore } from './undo-stored.ts';

export function openUndoStore(
  database: Database,
  recordStore: OperationStore,
  callerTags: CallerTags,
): UndoStore {
  return {
    ...recordStore,
    valuesOfRun: (run, subjects) =>
      withApiErrors(() => valuesOfRun(database, run, { ...subjects, callerTags })),
    principalsTouched: (run, ids, leaving) =>
      withApiErrors(() => principalsTouched(database, run, { ids, leaving })),
    usersTouched: (run, ids) => withApiErrors(() => usersTouched(database, run, ids)),
    principalsOfUsers: (ids) => withApiErrors(() => principalsOfUsers(database, ids)),
  };
}

interface ValuesRow extends Pick<RunValue, 'userId' | 'principalId'> {
  readonly changes: readonly (readonly [field: string, old: StoredValue, value: StoredValue])[];
}

async function valuesOfRun(
  database: Database,
  run: string,
  {
    principalIds,
    userIds,
    callerTags,
  }: {
    readonly principalIds: readonly number[];
    readonly userIds: readonly number[];
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
}

/** SQL for the audit rows `row` that no call of the run $1 has written, or a merge, which is not undone. */
const isOther = `not exists (
  select from anagrafe.calls where calls.id = row.call_id and run_id = $1 and operation <> 'merge')`;

async function principalsTouched(
  database: Database,
  run: string,
  { ids, leaving }: { readonly ids: readonly number[]; readonly leaving: readonly number[] },
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await database.query<{ id: number }>(
    `select id from unnest($2::bigint[]) as wanted (id)
      where exists (select from anagrafe.audit_log_hashed as row
                     where principal_id = wanted.id and action <> 'records.read' and ${isOther})
         or exists (select from anagrafe.users
                     where principal_id = wanted.id and has_signed_in and users.id <> all ($3::bigint[]))
     union
     select principal_id from anagrafe.audit_log_waiting as row
      where principal_id = any($2) and action <> 'records.read' and ${isOther}`,
    [run, ids, leaving],
  );
  return new Set(rows.map(({ id }) => id));
}

async function usersTouched(database: Database, run: string, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await database.query<{ id: number }>(
    `select id from unnest($2::bigint[]) as wanted (id)
      where exists (select from anagrafe.audit_users join anagrafe.audit_log_hashed as row using (position)
                     where audit_users.user_id = wanted.id and action <> 'login.failed' and ${isOther})
         or (select has_signed_in from anagrafe.users where users.id = wanted.id)
     union
     select named from anagrafe.audit_log_waiting as row
            cross join lateral anagrafe.users_named(action, user_id, registered, reset, deleted, details)
      where named = any($2) and action <> 'login.failed' and ${isOther}`,
    [run, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

const principalsByUser = selectByKeys('id, principal_id as "principalId"', 'users', 'id', 'bigint');

async function principalsOfUsers(database: Database, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query<{ id: number; principalId: number }>(principalsByUser, [ids]);
  return new Map(rows.map(({ id, principalId }) => [id, principalId]));
}
