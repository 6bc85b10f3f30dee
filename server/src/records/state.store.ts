import { actorColumns, actorPlaceholders, actorValues } from '../audit/audit.store.ts';
import type { Database, Prepared } from '../db/database.ts';
import { WriteFailure } from '../db/errors.ts';
import type { WriteContext, Written } from './outcome.ts';
import { type ChangedRow, kept, keptValues, placeOf, withNames } from './outcomes.store.ts';
import type { StateChange } from './state.ts';

const applySql = (keeping: string) => `
  with sent as (
    select * from unnest($2::bigint[], $3::text[]) as sent (id, state)
  ), owner as (
    select id, state from anagrafe.principals where id = $1 for no key update
  ), known as (
    select users.id, users.state from anagrafe.users join owner on principal_id = owner.id
     where users.id = any($2::bigint[]) order by users.id for no key update of users
  ), principal as (
    update anagrafe.principals
       set state = coalesce($4, state), updated_at = greatest(updated_at, clock_timestamp()),
           sessions_epoch = sessions_epoch + case $4 when 'disabled' then 1 else 0 end
     where id = (select id from owner) and (select count(*) from known) = cardinality($2::bigint[])
    returning id, updated_at as written_at
  ), changed as (
    update anagrafe.users as stored
       set state = sent.state, updated_at = written_at,
           sessions_epoch = sessions_epoch + case sent.state when 'disabled' then 1 else 0 end
      from sent cross join principal where stored.id = sent.id
    returning stored.id, stored.username, stored.email
  ), sessions_ended as (
    delete from anagrafe.sessions using principal
     where user_id = any(array(
       select sent.id from sent where sent.state = 'disabled'
       union all select users.id from anagrafe.users where principal_id = $1 and $4 = 'disabled'))
  ), noted as (
    -- Only what is not as it was.
    insert into anagrafe.journal (${actorColumns}, action, principal_id, details)
    select ${actorPlaceholders(5)}, 'state', id, jsonb_strip_nulls(jsonb_build_object(
             'state', (select $4 from owner where owner.state <> $4),
             'users', (select jsonb_agg(jsonb_build_array(known.id, sent.state) order by known.id)
                         from known join sent using (id) where known.state <> sent.state),
             'position', $11::integer))
      from principal
  )${keeping}
  select principal.id as principal, changed.id, username, email from principal left join changed on true`;

const applyAndForget: Prepared = { name: 'apply states', text: applySql('') };
const applyAndKeep: Prepared = { name: 'apply states and keep the outcome', text: applySql(kept(12)) };

export async function applyStates(
  database: Database,
  change: StateChange,
  { actor, reference }: WriteContext,
): Promise<Written> {
  const applied = change.users.map(({ id }) => ({ id, operation: 'state' as const }));
  const rows = await database.query<ChangedRow>(reference?.kept ? applyAndKeep : applyAndForget, [
    change.principalId,
    change.users.map(({ id }) => id),
    change.users.map(({ state }) => state),
    change.state,
    ...actorValues(actor, reference?.callId),
    placeOf(reference),
    ...keptValues(reference, applied),
  ]);
  // No row means that nothing was written: the principal or one of its users is missing.
  if (rows.length === 0) throw new WriteFailure('conflict');
  const changed = new Map(rows.map((row) => [row.id, row]));
  return { id: change.principalId, users: applied.map((user) => withNames(user, changed)) };
}
