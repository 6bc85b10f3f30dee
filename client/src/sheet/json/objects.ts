import type { ColumnNames } from '../columns/columns.ts';
import type { SheetField } from '../columns/fields.ts';
import { isOurs } from '../columns/our-columns.ts';
import { type FaultFigures, fault, type SheetFault } from '../fault.ts';
import { type Meaning, meant, type RowReader } from '../item.ts';
import { readUser, type Terms } from '../user.ts';
import { isObject, type JsonObject } from './element.ts';

/** Returns the property names of a flat row, without those that `FailedRows` adds; none for a record or null. */
export function namesOf(object: JsonObject | null): string[] {
  return object && !isRecord(object) ? Object.keys(object).filter((name) => !isOurs(name)) : [];
}

/** Returns true for a record of the API, which has `Users`, and false for a flat row. */
function isRecord(object: JsonObject): boolean {
  return Object.hasOwn(object, 'Users');
}

/** Interprets the objects of a JSON file: records of the API, and flat rows by their property names. */
export class ObjectReader implements RowReader<JsonObject> {
  readonly #names: ColumnNames;
  readonly #header: ReadonlySet<string>;
  readonly #terms: Terms;

  /**
   * @param header The names in the first row. An unknown name among them is ignored, because `Sheet.unknown` reports
   * it. Any other unknown name is an error of its row.
   */
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
    if (isRecord(object)) return { kind: 'record', record: withConfirmations(object) };
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
        faults.push(fault('DUPLICATE_COLUMN', this.#duplicates(object, field)));
      else values[field] = text;
    }
    if (values.Password !== undefined) values.ConfirmPassword ??= values.Password;
    return faults.length > 0 ? { kind: 'fault', faults } : meant(readUser(values, this.#terms));
  }

  #duplicates(object: JsonObject, field: SheetField): FaultFigures['DUPLICATE_COLUMN'] {
    return { field, columns: Object.keys(object).filter((name) => this.#names.column(name).field === field) };
  }
}

/**
 * Returns null for an invalid type. An ID may be a number, as in the API, or a string, as in JSON that was converted
 * from CSV. All other fields must be strings.
 */
function textOf(field: SheetField, value: unknown): string | null {
  if (typeof value === 'number' && (field === 'ID' || field === 'UserID')) return String(value);
  return typeof value === 'string' ? value : null;
}

/** Adds the `ConfirmPassword` that the API requires to each user that has only a `Password`. */
function withConfirmations(record: JsonObject): JsonObject {
  if (!Array.isArray(record.Users)) return record;
  return { ...record, Users: record.Users.map(withConfirmation) };
}

function withConfirmation(user: unknown): unknown {
  if (!isObject(user) || typeof user.Password !== 'string') return user;
  return { ...user, ConfirmPassword: user.ConfirmPassword ?? user.Password };
}
