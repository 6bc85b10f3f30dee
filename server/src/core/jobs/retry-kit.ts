import type { Fault } from '../codes.ts';
import { type Fields, isAbsent, isObject } from '../fields/fields.ts';
import { principalFields } from '../records/principal.ts';

const plainFields = {
  update: { record: ['ID'], user: ['Username', 'ID', 'Email'] },
  insert: { record: principalFields, user: ['Username', 'Email'] },
} as const;

/** To be filled in again by whoever sends the record again. */
const secrets = { Password: null, ConfirmPassword: null };
/** Longer than anything a sound record has. */
const textMax = 1024;

/** A record as it was sent, without what is secret or may be: only the fields that are known not to be are kept. */
export function withoutSecrets(operation: 'update' | 'insert', record: Fields): Fields {
  const { record: recordFields, user: userFields } = plainFields[operation];
  const users = Array.isArray(record.Users)
    ? record.Users.map((user) => (isObject(user) ? { ...keep(user, userFields), ...secrets } : null))
    : null;
  return { ...keep(record, recordFields), ...(users && { Users: users }) };
}

function keep(fields: Fields, names: readonly string[]): Fields {
  const kept = names.filter((name) => !isAbsent(fields[name])).map((name) => [name, plain(fields[name])]);
  return Object.fromEntries(kept);
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= textMax ? value : null;
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** A failed record, on its way back to its sender. */
export interface FailedRecord {
  readonly position: number;
  readonly record: Fields | null;
  readonly refusal: Fault;
  readonly faults: ReadonlyMap<string, readonly Fault[]>;
}
