import { Type } from 'typebox';
import { count } from '../../http/answer-schemas.ts';
import { named, strictObject } from '../../http/schemas.ts';
import type { EffectCounts } from './effect-counts.ts';

export const effectCounts = {
  PrincipalsInserted: count('Number of principals that were inserted.'),
  PrincipalsUpdated: count('Number of principals whose own fields or state were changed.'),
  PrincipalsDeleted: Type.Optional(
    count('Number of principals that were deleted with their users. Only of an undo.'),
  ),
  UsersRegistered: count('Number of users that were registered.'),
  UsersUpdated: count('Number of users whose fields, state or password were changed.'),
  UsersMoved: count('Number of users that were moved from other principals.'),
  UsersDisabled: count('Number of users that were disabled because the record does not contain them.'),
  UsersDeleted: count('Number of users that were deleted because the record does not contain them.'),
  Unchanged: count('Number of records that changed nothing.'),
};

export const EffectCountsSchema = named(
  'UpsertCounts',
  strictObject(effectCounts, { description: 'The effects of the applied records of `irs/upsert`.' }),
);

/** Returns the counts with their names on the wire. The counts of a job of an older version may lack one. */
export function countFields(counts: EffectCounts) {
  const fields = Object.keys(effectCounts).map((name) => {
    const count = counts[`${name.charAt(0).toLowerCase()}${name.slice(1)}` as keyof EffectCounts] ?? 0;
    return [name, count] as const;
  });
  return Object.fromEntries(fields.filter(([name, count]) => name !== 'PrincipalsDeleted' || count > 0));
}
