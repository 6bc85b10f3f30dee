import type { ErrorDetail } from '../lib/error-codes.ts';
import { type Fields, isAbsent, isEmail, isObject, shown, usersOf } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { type FieldDefinition, principalFields, userFields } from './fields.ts';
import type { OperationName } from './operation.ts';
import type { Outcome } from './outcome.ts';

type FieldFilter = (value: unknown) => unknown;
type FieldFilters = readonly (readonly [name: string, filter: FieldFilter])[];

/** Placeholders that the client fills in before it sends the record again. */
const secrets = { Password: null, ConfirmPassword: null };

const keptFields: Record<
  OperationName,
  { readonly record: FieldFilters; readonly user: FieldFilters; readonly secrets: Fields }
> = {
  update: {
    record: [
      ['ID', plainId],
      ['ExternalKey', plain],
    ],
    user: [['Username', plain], ['ID', plainId], ...filtersOf(userFields)],
    secrets,
  },
  insert: {
    record: filtersOf(principalFields),
    user: [['Username', plain], ...filtersOf(userFields)],
    secrets,
  },
  state: {
    record: [
      ['ID', plainId],
      ['State', plain],
    ],
    user: [
      ['ID', plainId],
      ['State', plain],
    ],
    secrets: {},
  },
};

function filtersOf(table: Readonly<Record<string, FieldDefinition>>): FieldFilters {
  return Object.entries(table).map(([name, { format }]) => [name, format === 'email' ? plainEmail : plain]);
}

/**
 * Replaces a value that was sent but is not stored. It is invalid in every field, so that a record that is sent again
 * without corrections fails again, and is not applied without the value.
 */
const redacted = '';
const secretNames = ['Password', 'ConfirmPassword', 'CurrentPassword', 'PasswordHash'];
/** Fields that are not listed as unknown: they are copied or ignored separately, or the client fills them in again. */
const handledNames = ['Users', 'FieldErrors', 'Position', ...secretNames];
const othersMax = 20;
/** Maximum length of a stored text, in UTF-16 code units. No valid field is longer. */
const textMax = 1024;

/** Returns a copy of a record in which only the fields that are known not to be secret keep their values. */
export async function withoutSecrets(
  operation: OperationName,
  record: Fields,
  timeSlice = new TimeSlice(),
): Promise<Fields> {
  const { record: recordFilters, user: userFilters, secrets: placeholders } = keptFields[operation];
  const kept = filterFields(record, recordFilters);
  if (isAbsent(record.Users)) return kept;
  if (!Array.isArray(record.Users)) return { ...kept, Users: redacted };
  const users: (Fields | null)[] = [];
  for (const user of record.Users) {
    users.push(isObject(user) ? { ...filterFields(user, userFilters), ...placeholders } : null);
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return { ...kept, Users: users };
}

function filterFields(fields: Fields, filters: FieldFilters): Fields {
  // Without a prototype, a field named `__proto__` is stored like any other.
  const kept: Record<string, unknown> = Object.create(null);
  // A user may have chosen its username or email address as its password.
  const secretTexts = secretNames.map((name) => fields[name]).filter((value) => typeof value === 'string');
  for (const [name, filter] of filters) {
    const value = fields[name];
    if (!isAbsent(value)) kept[name] = secretTexts.some((text) => text === value) ? redacted : filter(value);
  }
  const others = Object.keys(fields).filter(
    (name) => !Object.hasOwn(kept, name) && !handledNames.includes(name),
  );
  for (const name of others.filter((other) => !isAbsent(fields[other])).slice(0, othersMax))
    kept[shown(name)] = redacted;
  return kept;
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= textMax ? value : redacted;
  return typeof value === 'number' || typeof value === 'boolean' ? value : redacted;
}

/** Redacts text that is not an integer: it may be a password from the wrong column. */
function plainId(value: unknown): unknown {
  return typeof value === 'string' && !/^-?\d+$/.test(value) ? redacted : plain(value);
}

/** Redacts text that is not an email address, for the same reason. */
function plainEmail(value: unknown): unknown {
  const kept = plain(value);
  return typeof kept === 'string' && !isEmail(kept) ? redacted : kept;
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
}

/** A record to be stored as failed, whose fields are parsed when they are needed. */
export interface Failure {
  readonly position: number;
  readonly fields: () => Promise<Fields>;
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
    const fields = await parse();
    const record = await withoutSecrets(operation, fields, timeSlice);
    const own = typeof outcome === 'function' ? outcome(fields) : outcome;
    stored.push({ position, users: usersOf(fields).length, outcome: own, record });
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return stored;
}
