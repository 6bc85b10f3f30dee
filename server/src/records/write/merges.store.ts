import { type Query, rowsParameter, statement } from '../../db/statement.ts';
import type { MergedPrincipal } from './change.ts';
import { withIds, withRows } from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

// Principals that are merged into others: their users have moved, their external keys become aliases.

/** SQL for the aliases of a principal. */
export function aliasesOf(id: string): string {
  return `array(select external_key from anagrafe.principal_aliases where principal_id = ${id} order by external_key)`;
}

const mergedPrincipals = rowsParameter('merged', { id: 'bigint', target: 'bigint', alias: 'text' });

/** The key becomes free before it becomes an alias, or the key of the other principal. */
const releaseKeysStatement = statement(
  'update anagrafe.principals set external_key = null where id = any(:ids::bigint[]) and external_key is not null',
);
const keepAliasesStatement = statement(
  `update anagrafe.principal_aliases as stored set principal_id = merged.target
     from ${mergedPrincipals.sql} where stored.principal_id = merged.id`,
);
const insertAliasesStatement = statement(
  `insert into anagrafe.principal_aliases (external_key, principal_id)
   select alias, target from ${mergedPrincipals.sql} where alias is not null order by alias`,
);
const restoredAliases = rowsParameter('restored', { id: 'bigint', alias: 'text' });
const deleteMergedStatement = statement('delete from anagrafe.principals where id = any(:ids::bigint[])');

const restoreAliasesStatement = statement(
  `insert into anagrafe.principal_aliases (external_key, principal_id)
   select alias, id from ${restoredAliases.sql} order by alias`,
);

/** Must follow the edits of the principals, which free the keys. */
export function restoreAliases(changes: readonly WritableChange[]): Query[] {
  const restored = changes.filter(({ restoredAlias }) => restoredAlias !== undefined);
  const values = restoredAliases.values(restored, {
    id: ({ principalId }) => principalId,
    alias: ({ restoredAlias }) => restoredAlias ?? null,
  });
  return withRows(restoreAliasesStatement, restored, values);
}

export function mergesOf(
  changes: readonly WritableChange[],
): (MergedPrincipal & { readonly into: number })[] {
  return changes.flatMap(({ merged, principalId: into }) => (merged ? [{ ...merged, into }] : []));
}

/** Must precede the edits of the principals, which may get the external keys. */
export function keepAliases(changes: readonly WritableChange[]): Query[] {
  const merges = mergesOf(changes);
  const values = mergedPrincipals.values(merges, {
    id: ({ id }) => id,
    target: ({ into }) => into,
    alias: ({ alias }) => alias,
  });
  return [
    ...withIds(releaseKeysStatement, idsOf(merges)),
    ...withRows(keepAliasesStatement, merges, values),
    ...withRows(insertAliasesStatement, merges, values),
  ];
}

/** Must follow the moves of the users. */
export function deleteMerged(changes: readonly WritableChange[]): Query[] {
  return withIds(deleteMergedStatement, idsOf(mergesOf(changes)));
}

function idsOf(merges: readonly MergedPrincipal[]): number[] {
  return merges.map(({ id }) => id);
}
