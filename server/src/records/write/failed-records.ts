import { RecordTooLarge } from '../../json/record-list.ts';
import type { ErrorDetail } from '../../lib/error-codes.ts';
import { FieldErrors } from '../../lib/field-errors.ts';
import { type Fields, isAbsent, isEmail, isObject, shown, usersOf } from '../../lib/request-fields.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import { secretNames } from '../../passwords/policy.ts';
import { readAttributes, readTags } from '../fields/field-formats.ts';
import {
  type FieldDefinition,
  type FieldFormat,
  principalFields,
  shownStates,
  userFields,
} from '../fields/fields.ts';
import { inviteChannels } from '../parse/new-password.ts';
import { type OperationName, similarAllowed } from '../parse/parsed-record.ts';
import { itemOperations } from '../parse/parsed-user.ts';
import { mentionsOf } from './mentions.ts';
import type { Outcome } from './outcome.ts';

/** Returns the value to keep, or undefined to redact it. */
type FieldFilter = (value: unknown) => unknown;
/** `clearable`: an empty text clears the field in an edit. */
type FieldFilters = readonly (readonly [name: string, filter: FieldFilter, clearable?: boolean])[];

const filterOf: Readonly<Record<FieldFormat, FieldFilter>> = {
  text: plain,
  key: plain,
  email: plainEmail,
  language: plain,
  attributes: plainAttributes,
  tags: plainTags,
};

/** Placeholders that the client fills in before it sends the record again. */
const secrets = { Password: null, ConfirmPassword: null };
/** The operations that set passwords, and those that change fields of what exists. */
const withPasswords: readonly OperationName[] = ['update', 'insert', 'upsert'];
const withEdits: readonly OperationName[] = ['update', 'upsert'];

const { ExternalKey: _, ...otherPrincipalFields } = principalFields;

const principalNames: FieldFilters = [
  ['ID', plainId],
  ['ExternalKey', plain],
];
/** The fields of records and of users of any operation. One that the operation does not have is refused again. */
const recordFields: FieldFilters = [
  ...principalNames,
  ['NewExternalKey', plain, true],
  ...filtersOf(otherPrincipalFields),
  ['State', oneOf(shownStates)],
  ['Similar', oneOf([similarAllowed])],
  ['From', plainReference],
  ['Invite', oneOf(inviteChannels)],
];
const userItemFields: FieldFilters = [
  ['Operation', oneOf(itemOperations)],
  ['Username', plain],
  ['ID', plainId],
  ['NewUsername', plain],
  ...filtersOf(userFields),
  ['State', oneOf(shownStates)],
  ['Invite', oneOf(inviteChannels)],
  ['MustChangePassword', (value) => (typeof value === 'boolean' ? value : undefined)],
];

function filtersOf(table: Readonly<Record<string, FieldDefinition>>): FieldFilters {
  return Object.entries(table).map(([name, { format }]) => [name, filterOf[format], true]);
}

/**
 * Replaces a value that was sent but is not stored. It is invalid in every field, so that a record that is sent again
 * without corrections fails again, and is not applied without the value.
 */
const redacted = '';
/** The same for a field that an empty text would clear. */
const redactedInEdit = false;
/** Fields that are not listed as unknown: they are copied or ignored separately, or the client fills them in again. */
const handledNames = ['Users', 'FieldErrors', 'Position', ...secretNames];
const othersMax = 20;
/** Maximum length of a stored text, in UTF-16 code units. No valid field is longer. */
const textMax = 1024;

/** Returns a copy of a record in which only the fields that are known not to be secret keep their values. */
export async function withoutSecrets(operation: OperationName, record: Fields): Promise<Fields> {
  const timeSlice = new TimeSlice();
  const kept = filterFields(record, recordFields, withEdits.includes(operation));
  if (isAbsent(record.Users)) return kept;
  if (!Array.isArray(record.Users)) return { ...kept, Users: redacted };
  const users: (Fields | null)[] = [];
  for (const user of record.Users) {
    users.push(isObject(user) ? keptUser(user, operation) : null);
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return { ...kept, Users: users };
}

function keptUser(user: Fields, operation: OperationName): Fields {
  const { Operation } = user;
  const isWithout = ['edit', 'delete', 'move'].includes(Operation as string);
  const hasPassword = withPasswords.includes(operation) && !isWithout && isAbsent(user.Invite);
  // An operation that is not valid may be corrected to an edit.
  const mayEdit = !isAbsent(Operation) && Operation !== 'register' && Operation !== 'reset';
  return {
    ...filterFields(user, userItemFields, mayEdit || operation === 'upsert'),
    ...(hasPassword && (operation === 'upsert' ? secretsOfUpsert(user) : secrets)),
  };
}

/**
 * An upsert changes an existing user without a password. A value that is not valid makes sure that a password that was
 * sent is filled in again.
 */
function secretsOfUpsert(user: Fields): Fields {
  const wasSent = secretNames.some((name) => !isAbsent(user[name]));
  return wasSent ? { Password: false, ConfirmPassword: false } : {};
}

function filterFields(fields: Fields, filters: FieldFilters, isEdit: boolean): Fields {
  // Without a prototype, a field named `__proto__` is stored like any other.
  const kept: Record<string, unknown> = Object.create(null);
  // A user may have chosen its username or email address as its password.
  const secretTexts: unknown[] = secretNames
    .map((name) => fields[name])
    .filter((value) => typeof value === 'string');
  for (const [name, filter, clearable = false] of filters) {
    const value = fields[name];
    if (isAbsent(value)) continue;
    const keptValue = hasOneOf(secretTexts, value) ? undefined : filter(value);
    kept[name] = keptValue ?? (isEdit && clearable ? redactedInEdit : redacted);
  }
  const others = Object.keys(fields).filter(
    (name) => !Object.hasOwn(kept, name) && !handledNames.includes(name),
  );
  for (const name of others.filter((other) => !isAbsent(fields[other])).slice(0, othersMax))
    kept[shown(name)] = redacted;
  return kept;
}

/** Returns true if the value, or an attribute in it, is one of the texts. */
function hasOneOf(texts: readonly unknown[], value: unknown): boolean {
  return isObject(value)
    ? texts.length > 0 && Object.values(value).some((attribute) => texts.includes(attribute))
    : texts.includes(value);
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= textMax ? value : undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Returns a filter that redacts every value but these, as `plainId` does. */
function oneOf(known: readonly string[]): FieldFilter {
  return (value) => known.find((text) => text === value);
}

/** Redacts text that is not an integer: it may be a password from the wrong column. */
function plainId(value: unknown): unknown {
  return typeof value === 'string' && !/^-?\d+$/.test(value) ? undefined : plain(value);
}

/** Redacts text that is not an email address, for the same reason. An empty text clears the address. */
function plainEmail(value: unknown): unknown {
  const kept = plain(value);
  return typeof kept === 'string' && kept !== '' && !isEmail(kept) ? undefined : kept;
}

/** Keeps the names of a principal. An object with other fields is redacted as a whole. */
function plainReference(value: unknown): unknown {
  if (
    !isObject(value) ||
    Object.keys(value).some((name) => !principalNames.some(([known]) => known === name))
  )
    return undefined;
  const names = principalNames.flatMap(([name, filter]) =>
    isAbsent(value[name]) ? [] : [[name, filter(value[name]) ?? redacted]],
  );
  return Object.fromEntries(names);
}

/** Redacts attributes that are not valid: an object may have any number of values of any size. */
function plainAttributes(value: unknown): unknown {
  const errors = new FieldErrors(1);
  const attributes = readAttributes(value, userFields.Attributes.maxLength, 'Attributes', errors);
  return errors.none ? (attributes ?? {}) : undefined;
}

function plainTags(value: unknown): unknown {
  const errors = new FieldErrors(1);
  const tags = readTags(value, 'Tags', errors);
  return errors.none ? (tags ?? []) : undefined;
}

/** A failed record in the form that is returned to the client. */
export interface FailedRecord {
  readonly position: number;
  /** The record as JSON text. It is not parsed: it may be megabytes long, and parsing would block the event loop. */
  readonly record: string | null;
  readonly error: ErrorDetail;
  readonly errors: ReadonlyMap<string, readonly ErrorDetail[]>;
}

/** The outcome of a failed record in the form that is stored. */
export interface StoredFailure {
  readonly position: number;
  readonly users: number;
  readonly outcome: Outcome;
  readonly record: Fields | null;
  /** The external key that the record was sent with instead of an ID; null if there is no valid one. */
  readonly externalKey: string | null;
  /** The first username in the record; null if there is none. */
  readonly username: string | null;
  /** The principals and users that the record names, as the column `mentions` stores them. */
  readonly mentions: readonly string[];
}

/** A record to be stored as failed, whose fields are parsed when they are needed. */
export interface Failure {
  readonly position: number;
  readonly fields: () => Promise<Fields | RecordTooLarge>;
  readonly outcome: Outcome | ((fields: Fields) => Outcome);
}

/** Converts failed records to the form that is stored, in time slices: there may be 100,000 of them. */
export async function storedFailures(
  operation: OperationName,
  failed: Iterable<Failure>,
): Promise<StoredFailure[]> {
  const timeSlice = new TimeSlice();
  const stored: StoredFailure[] = [];
  for (const { position, fields: parse, outcome } of failed) {
    const parsed = await parse();
    const tooLarge = parsed instanceof RecordTooLarge ? parsed : null;
    const fields: Fields = parsed instanceof RecordTooLarge ? {} : parsed;
    const own = typeof outcome === 'function' ? outcome(fields) : outcome;
    const mentions = await mentionsOf(fields, own.errors);
    const record = await withoutSecrets(operation, fields);
    stored.push({
      position,
      users: tooLarge?.users ?? usersOf(fields).length,
      outcome: own,
      record: tooLarge ? null : record,
      externalKey: own.id === null ? externalKeyOf(record) : null,
      username: firstUsername(record),
      mentions,
    });
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return stored;
}

function externalKeyOf({ ExternalKey: key }: Fields): string | null {
  const isValid =
    typeof key === 'string' && key.trim() !== '' && [...key].length <= principalFields.ExternalKey.maxLength;
  return isValid ? key : null;
}

function firstUsername(record: Fields): string | null {
  for (const user of usersOf(record)) {
    if (isObject(user) && typeof user.Username === 'string' && user.Username !== '') return user.Username;
  }
  return null;
}
