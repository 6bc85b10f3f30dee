import { refusal } from '../fault.ts';
import { fieldNamed, folded, isSheetField, type SheetField } from './fields.ts';

/** What columns are, by their names: a field, or null to leave the column out. It goes before what a name itself says. */
export type ColumnMapping = Readonly<Record<string, SheetField | null>>;

export interface SheetColumn {
  readonly name: string;
  /** Null where the column is not read. */
  readonly field: SheetField | null;
  /**
   * `known` by its name; `mapped` or `left out` by the caller; `unknown` where nobody said what it is; `unnamed` where
   * it has to be empty in every row.
   */
  readonly kind: 'known' | 'mapped' | 'left out' | 'unknown' | 'unnamed';
}

/** Tells what the columns of one file are. */
export class ColumnNames {
  readonly #mapping: ColumnMapping;
  readonly #known = new Map<string, SheetColumn>();

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

  /** @throws where a column was mapped that is not there: it may be misspelt. */
  refuseAbsent(header: readonly string[]): void {
    for (const column of Object.keys(this.#mapping)) {
      if (!header.some((name) => isSame(name, column)))
        throw refusal('MAPPED_COLUMN_MISSING', { column, found: header });
    }
  }

  /** @throws where two columns are the same field. */
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

/** At least one field of each group has to have a column. */
export function refuseMissing(
  columns: readonly SheetColumn[],
  groups: readonly (readonly SheetField[])[],
): void {
  for (const needed of groups) {
    if (!columns.some(({ field }) => field !== null && needed.includes(field)))
      throw refusal('MISSING_COLUMN', { needed, found: columns.map(({ name }) => name) });
  }
}

/** Names that consist of signs alone are told apart by them. */
function isSame(name: string, other: string): boolean {
  return name === other || (folded(name) !== '' && folded(name) === folded(other));
}
