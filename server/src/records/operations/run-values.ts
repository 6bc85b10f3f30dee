import type { Tags } from '../../lib/tags.ts';
import { mapUsername } from '../../usernames/precis-profiles.ts';
import type { Username } from '../../usernames/username.ts';
import { AttributesText } from '../fields/field-formats.ts';
import { type FieldValue, isSameValue, isTags, type State } from '../fields/fields.ts';
import type { KeptField } from '../write/outcome.ts';

// The values that a run has changed, and which of them an undo restores.

/** The value of a field before the first and after the last change of a run. Attributes are objects, tags are lists. */
export interface RunValue {
  readonly userId: number | null;
  readonly principalId: number;
  readonly field: string;
  readonly old: StoredValue;
  readonly new: StoredValue;
}

export type StoredValue = string | Tags | Readonly<Record<string, string>> | null;

export type Values = ReadonlyMap<string, Pick<RunValue, 'old' | 'new'>>;

const subjectOf = ({ userId, principalId }: Pick<RunValue, 'userId' | 'principalId'>) =>
  userId === null ? `principal ${principalId}` : `user ${userId}`;

/** Groups the values by their user or principal, and joins successive changes of a field. */
export function valuesBySubject(
  rows: readonly RunValue[],
): Map<string, Map<string, Pick<RunValue, 'old' | 'new'>>> {
  const values = new Map<string, Map<string, Pick<RunValue, 'old' | 'new'>>>();
  for (const row of rows) {
    const own = values.get(subjectOf(row)) ?? new Map<string, Pick<RunValue, 'old' | 'new'>>();
    const { old } = own.get(row.field) ?? row;
    own.set(row.field, { old, new: row.new });
    values.set(subjectOf(row), own);
  }
  return values;
}

const nameFields = ['Username', 'ExternalKey'];

/** The fields that are restored, and those that are kept. */
export interface Restored {
  readonly fields: Record<string, FieldValue | null>;
  state: State | null;
  mustChange: boolean | null;
  newUsername: Username | null;
  readonly kept: KeptField[];
}

/**
 * Restores each value that is still the one that the run wrote. A name that another principal or user has by now is kept:
 * if the undo gives it free, a second undo restores it. `isTaken` is asked for a username or an external key.
 */
export function restore(
  current: (field: string) => FieldValue | null,
  values: Values,
  isTaken: (name: string) => boolean,
): Restored {
  const restored: Restored = { fields: {}, state: null, mustChange: null, newUsername: null, kept: [] };
  for (const [field, value] of values) {
    const now = current(field);
    if (isSame(now, value.old)) continue;
    if (!isSame(now, value.new)) restored.kept.push({ field, reason: 'changed' });
    else if (nameFields.includes(field) && typeof value.old === 'string' && isTaken(value.old))
      restored.kept.push({ field, reason: 'taken' });
    else if (field === 'State') restored.state = value.old as State;
    else if (field === 'MustChangePassword') restored.mustChange = value.old === 'true';
    else if (field === 'Username') restored.newUsername = usernameOf(value.old as string);
    else restored.fields[field] = fieldValue(value.old);
  }
  return restored;
}

export function fieldValue(value: StoredValue): FieldValue | null {
  if (value === null || typeof value === 'string') return value;
  return isTags(value) ? value : new AttributesText(Object.entries(value));
}

export function isSame(one: FieldValue | null, other: StoredValue): boolean {
  return isSameValue(one, fieldValue(other));
}

/** Returns a stored username, which is valid. */
export function usernameOf(asSent: string): Username {
  const result = mapUsername(asSent);
  return { asSent, key: 'mapped' in result ? result.mapped : asSent };
}
