import type { Fault } from '../codes.ts';
import { type Fields, isAbsent, isEmail, isObject, shown } from '../fields/fields.ts';
import type { OperationName } from '../records/operation.ts';
import { principalFields } from '../records/principal.ts';
import { Turns } from '../turns.ts';

type Keep = (value: unknown) => unknown;
type Keeps = readonly (readonly [name: string, keep: Keep])[];

/** To be filled in again by whoever sends the record again. */
const secrets = { Password: null, ConfirmPassword: null };

const keptFields: Record<
  OperationName,
  { readonly record: Keeps; readonly user: Keeps; readonly secrets: Fields }
> = {
  update: {
    record: [
      ['ID', plainId],
      ['ExternalKey', plain],
    ],
    user: [
      ['Username', plain],
      ['ID', plainId],
      ['Email', plainEmail],
    ],
    secrets,
  },
  insert: {
    record: principalFields.map((name) => [name, name === 'Email' ? plainEmail : plain]),
    user: [
      ['Username', plain],
      ['Email', plainEmail],
    ],
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

/**
 * In place of what was there and is not kept. It is a fault, so that a record that is sent again as it came back is
 * refused again, and not applied without.
 */
const lost = '';
const secretNames = ['Password', 'ConfirmPassword', 'CurrentPassword', 'PasswordHash'];
/** What has its own place, or is to be filled in again. */
const notMissed = ['Users', 'Faults', 'Position', ...secretNames];
/** So many fields that are not known are named. */
const othersMax = 20;
/** Longer than anything a sound record has. */
const textMax = 1024;

/** A record as it was sent, without what is secret or may be: only the fields that are known not to be are kept. */
export async function withoutSecrets(operation: OperationName, record: Fields): Promise<Fields> {
  const { record: recordFields, user: userFields, secrets: emptied } = keptFields[operation];
  const kept = keep(record, recordFields);
  if (isAbsent(record.Users)) return kept;
  if (!Array.isArray(record.Users)) return { ...kept, Users: lost };
  const turns = new Turns();
  const users: (Fields | null)[] = [];
  for (const user of record.Users) {
    users.push(isObject(user) ? { ...keep(user, userFields), ...emptied } : null);
    if (turns.over) await turns.next();
  }
  return { ...kept, Users: users };
}

function keep(fields: Fields, keeps: Keeps): Fields {
  const kept: Record<string, unknown> = {};
  // Some take their username or their address for a password.
  const secretTexts = secretNames.map((name) => fields[name]).filter((value) => typeof value === 'string');
  for (const [name, keepOne] of keeps) {
    const value = fields[name];
    if (!isAbsent(value)) kept[name] = secretTexts.some((text) => text === value) ? lost : keepOne(value);
  }
  const others = Object.keys(fields).filter(
    (name) => !Object.hasOwn(kept, name) && !notMissed.includes(name),
  );
  for (const name of others.filter((other) => !isAbsent(fields[other])).slice(0, othersMax))
    kept[shown(name)] = lost;
  return kept;
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= textMax ? value : lost;
  return typeof value === 'number' || typeof value === 'boolean' ? value : lost;
}

/** A text that is no number may be anything, such as a password that got into the wrong column. */
function plainId(value: unknown): unknown {
  return typeof value === 'string' && !/^-?\d+$/.test(value) ? lost : plain(value);
}

/** The same goes for a text that is no address. */
function plainEmail(value: unknown): unknown {
  const kept = plain(value);
  return typeof kept === 'string' && !isEmail(kept) ? lost : kept;
}

/** A failed record, on its way back to its sender. */
export interface FailedRecord {
  /** Zero-based index of the record in the call. */
  readonly position: number;
  /** The record as JSON text, which may be megabytes: parsing it would hold the event loop. */
  readonly record: string | null;
  readonly refusal: Fault;
  readonly faults: ReadonlyMap<string, readonly Fault[]>;
}
