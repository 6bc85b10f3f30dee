import type { ColumnNames } from '../columns/columns.ts';
import type { SheetField } from '../columns/fields.ts';
import { isOurs } from '../columns/our-columns.ts';
import { type FaultFigures, fault, type SheetFault } from '../fault.ts';
import { type Meaning, meant, type RowReader } from '../item.ts';
import { readUser, type Terms } from '../user.ts';
import { isObject, type JsonObject } from './element.ts';

/** The names that a flat row has by itself; none where it is something else. */
export function namesOf(object: JsonObject | null): string[] {
  return object && !isRecord(object) ? Object.keys(object).filter((name) => !isOurs(name)) : [];
}

/** Whether an object is a record of the interface rather than a flat row. */
function isRecord(object: JsonObject): boolean {
  return Object.hasOwn(object, 'Users');
}

/** Understands the objects of a JSON file: records of the interface, and flat rows by the names of their fields. */
export class ObjectReader implements RowReader<JsonObject> {
  readonly #names: ColumnNames;
  readonly #header: ReadonlySet<string>;
  readonly #terms: Terms;

  /** The header has the names of which it was reported what they are. */
  constructor(header: readonly string[], names: ColumnNames, terms: Terms) {
    this.#names = names;
    this.#header = new Set(header);
    this.#terms = terms;
  }

  original(object: JsonObject): JsonObject {
    if (!Object.keys(object).some(isOurs)) return object;
    return Object.fromEntries(Object.entries(object).filter(([name]) => !isOurs(name)));
  }

  meaning(object: JsonObject): Meaning {
    if (isRecord(object)) return { kind: 'record', record: confirmed(object) };
    const faults: SheetFault[] = [];
    const values: { [Field in SheetField]?: string } = {};
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (value === null || value === '') continue;
      const { field, kind } = this.#names.column(name);
      if (field === null) {
        if (kind === 'unnamed' || (kind === 'unknown' && !this.#header.has(name)))
          faults.push(fault('UNKNOWN_COLUMN', { column: name }));
        continue;
      }
      const text = textOf(field, value);
      if (text === null) faults.push(fault('NOT_A_TEXT', { column: name }));
      else if (values[field] !== undefined)
        faults.push(fault('DUPLICATE_COLUMN', this.#twice(object, field)));
      else values[field] = text;
    }
    if (values.Password !== undefined) values.ConfirmPassword ??= values.Password;
    return faults.length > 0 ? { kind: 'fault', faults } : meant(readUser(values, this.#terms));
  }

  #twice(object: JsonObject, field: SheetField): FaultFigures['DUPLICATE_COLUMN'] {
    return { field, columns: Object.keys(object).filter((name) => this.#names.column(name).field === field) };
  }
}

/** IDs may be numbers, as the interface has them, or texts, as a program that turned a CSV into JSON writes them. */
function textOf(field: SheetField, value: unknown): string | null {
  if (typeof value === 'number' && (field === 'ID' || field === 'UserID')) return String(value);
  return typeof value === 'string' ? value : null;
}

function confirmed(record: JsonObject): JsonObject {
  if (!Array.isArray(record.Users)) return record;
  return { ...record, Users: record.Users.map(confirmedUser) };
}

function confirmedUser(user: unknown): unknown {
  if (!isObject(user) || typeof user.Password !== 'string') return user;
  return { ...user, ConfirmPassword: user.ConfirmPassword ?? user.Password };
}
