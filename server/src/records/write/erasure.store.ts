import { arrayLiteral, type Query, rowsParameter, statement } from '../../db/statement.ts';
import { usersTo } from './change.ts';
import type { StoredRows } from './stored-rows.store.ts';
import type { WritableChange } from './writable-change.ts';

/** Empties the failed records that mention what is deleted, and notes the IDs of what is renamed in those of its names. */
export function eraseFailedRecords(
  changes: readonly WritableChange[],
  { principals, users }: StoredRows,
): Query[] {
  const deletedNames: string[] = [];
  const deletedPrincipals: number[] = [];
  const renamed: { earlier: string; mention: string }[] = [];
  for (const change of changes) {
    const { principalId, principal, merged } = change;
    const key = principals.get(principalId)?.externalKey ?? null;
    if (principal.kind === 'delete') {
      deletedPrincipals.push(principalId);
      deletedNames.push(`principal:${principalId}`, ...(key === null ? [] : [`key:${key}`]));
    }
    if (principal.kind === 'edit' && principal.changed.includes('ExternalKey') && key !== null)
      renamed.push({ earlier: `key:${key}`, mention: `principal:${principalId}` });
    const mergedKey = merged?.externalKey ?? null;
    const mergedNames = [
      ...(merged ? [`principal:${merged.id}`] : []),
      ...(mergedKey === null ? [] : [`key:${mergedKey}`]),
    ];
    for (const earlier of mergedNames) renamed.push({ earlier, mention: `principal:${principalId}` });
    for (const { id } of usersTo(change, 'delete'))
      deletedNames.push(`user:${id}`, `name:${users.get(id)?.usernameKey}`);
    for (const { id, newUsername } of usersTo(change, 'edit')) {
      const earlier = users.get(id)?.usernameKey;
      if (newUsername && newUsername.key !== earlier)
        renamed.push({ earlier: `name:${earlier}`, mention: `user:${id}` });
    }
  }
  return [...eraseMentions(deletedNames, deletedPrincipals), ...noteRenames(renamed)];
}

/** Number of mentions of deleted records that one search finds. */
const mentionsAtOnce = 500;

/** SQL for a source `mentioning` of the failed records, locked in order, that have a mention of the source `sought_mention`. */
const mentioning = `sought as materialized (
    -- The time of a search by the index grows with the square of the number of its mentions.
    select array_agg(mention) as mentions
      from (select mention, row_number() over () / ${mentionsAtOnce} as number from sought_mention) as numbered
     group by number
  ), mentioning as materialized (
    select call_id, position, mentions from anagrafe.outcomes
     where (call_id, position) in (
       select found.call_id, found.position
         from sought cross join lateral anagrafe.outcomes_mentioning(sought.mentions) as found)
     order by call_id, position for update
  )`;

/** Planned each time: how many failed records are found by their index varies. */
const eraseMentionsStatement = statement(
  `with sought_mention as materialized (
     select mention collate "C" from unnest(:mentions::text[]) as given (mention)
     union all select 'key:' || external_key from anagrafe.principal_aliases where principal_id = any(:principals::bigint[])
     union all select 'user:' || id from anagrafe.users where principal_id = any(:principals::bigint[])
     union all select 'name:' || username_key from anagrafe.users where principal_id = any(:principals::bigint[])
   ), ${mentioning}
   -- The figures of an error may be stored values.
   update anagrafe.outcomes as stored
      set record = null, error = error - 'figures', field_errors = '[]', external_key = null, username = null,
          mentions = null
     from mentioning where stored.call_id = mentioning.call_id and stored.position = mentioning.position`,
);

/** Empties the failed records that have one of the mentions, or that mention a user of the principals. Their codes stay. */
function eraseMentions(mentions: readonly string[], principals: readonly number[]): Query[] {
  if (mentions.length === 0) return [];
  return [
    {
      statement: eraseMentionsStatement,
      values: { mentions: arrayLiteral(mentions), principals: arrayLiteral(principals) },
    },
  ];
}

const renames = rowsParameter('renamed', { earlier: 'text', mention: 'text' });

const noteRenamesStatement = statement(
  `with renamed as materialized (
     select earlier collate "C", mention collate "C" from ${renames.sql}
   ), sought_mention as (
     select earlier as mention from renamed
   ), ${mentioning}
   update anagrafe.outcomes as stored set mentions = stored.mentions || added.mentions
     from (select call_id, position, array_agg(renamed.mention) as mentions
             from mentioning cross join lateral unnest(mentioning.mentions) as each (mention)
                  join renamed on renamed.earlier = each.mention
            where renamed.mention <> all (mentioning.mentions)
            group by call_id, position) as added
    where stored.call_id = added.call_id and stored.position = added.position`,
);

/** Adds the ID to failed records that mention an earlier name, so that a later deletion finds them. */
function noteRenames(renamed: readonly { earlier: string; mention: string }[]): Query[] {
  if (renamed.length === 0) return [];
  const columns = {
    earlier: (row: (typeof renamed)[number]) => row.earlier,
    mention: (row: (typeof renamed)[number]) => row.mention,
  };
  return [{ statement: noteRenamesStatement, values: renames.values(renamed, columns) }];
}
