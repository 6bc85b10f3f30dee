import { refusal } from '../fault.ts';
import { fieldNamed, folded, isSheetField, type SheetField } from './fields.ts';

/** Fields by column name; null ignores the column. A mapping takes precedence over the recognised names. */
export type ColumnMapping = Readonly<Record<string, SheetField | null>>;

/** A column of a file and the field that it maps to. */
export interface SheetColumn {
  readonly name: string;
  /** Null if the column is ignored. */
  readonly field: SheetField | null;
  /**
   * - `known`: the name is recognised.
   * - `mapped`, `left out`: the column mapping has a field, or null, for it.
   * - `unknown`: the name is neither recognised nor mapped. The values are ignored.
   * - `unnamed`: the name is empty. A value in this column is an error of its row.
   */
  readonly kind: 'known' | 'mapped' | 'left out' | 'unknown' | 'unnamed';
}

/** Maps the column names of one file to fields. */
export class ColumnNames {
  readonly #mapping: ColumnMapping;
  readonly #known = new Map<string, SheetColumn>();

  /** @throws {SheetError} If the mapping has an unknown field. */
  constructor(mapping: ColumnMapping) {
    this.#mapping = mapping;
    for (const [column, field] of Object.entries(mapping)) {
      if (field !== null && !isSheetField(field)) throw refusal('UNKNOWN_FIELD', { column, field });
    }
  }

  column(name: string): SheetColumn {
    const column = this.#known.get(name) ?? this.#recognise(name);
    this.#known.set(name, column);
    return column;
  }

  /** @throws {SheetError} If a mapped column is not in the header, because its name may be misspelt. */
  refuseAbsent(header: readonly string[]): void {
    for (const column of Object.keys(this.#mapping)) {
      if (!header.some((name) => isSame(name, column)))
        throw refusal('MAPPED_COLUMN_MISSING', { column, found: header });
    }
  }

  /** @throws {SheetError} If two columns map to the same field. */
  columns(header: readonly string[]): SheetColumn[] {
    const columns = header.map((name) => this.column(name));
    for (const { field } of columns) {
      if (field === null) continue;
      const same = columns.filter((column) => column.field === field);
      if (same.length > 1)
        throw refusal('DUPLICATE_COLUMN', { field, columns: same.map(({ name }) => name) });
    }
    return columns;
  }

  #recognise(name: string): SheetColumn {
    const exact = Object.hasOwn(this.#mapping, name);
    const key = exact ? name : Object.keys(this.#mapping).find((mapped) => isSame(name, mapped));
    if (key !== undefined) {
      const field = this.#mapping[key] ?? null;
      return { name, field, kind: field === null ? 'left out' : 'mapped' };
    }
    if (name.trim() === '') return { name, field: null, kind: 'unnamed' };
    const field = fieldNamed(name);
    return field ? { name, field, kind: 'known' } : { name, field: null, kind: 'unknown' };
  }
}

/** @throws {SheetError} If a group has no field with a column. */
export function refuseMissing(
  columns: readonly SheetColumn[],
  groups: readonly (readonly SheetField[])[],
): void {
  for (const needed of groups) {
    if (!columns.some(({ field }) => field !== null && needed.includes(field)))
      throw refusal('MISSING_COLUMN', { needed, found: columns.map(({ name }) => name) });
  }
}

/** Compares names without case, accents and punctuation. Names that consist only of punctuation must be identical. */
function isSame(name: string, other: string): boolean {
  return name === other || (folded(name) !== '' && folded(name) === folded(other));
}
