import type { ImportColumn } from './columns.ts';
import type { RowSource } from './types.ts';

/** The kind of values in a column. The values themselves are not kept, because they may be secret. */
export type ColumnContent = 'empty' | 'emails' | 'dates' | 'numbers' | 'booleans' | 'texts';

export interface UnusedColumn {
  readonly name: string;
  readonly content: ColumnContent;
  /** Number of rows with a value. */
  readonly values: number;
}

const patterns: readonly (readonly [ColumnContent, RegExp])[] = [
  ['emails', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['dates', /^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})(?:[T ].*)?$/],
  ['booleans', /^(?:true|false|vero|falso|yes|no|s[iì])$/i],
  ['numbers', /^[+-]?[\d\s.,/()-]*\d[\d\s.,/()-]*$/],
];

/** The share of the values that must be of one kind. */
const majority = 0.9;

/** Describes the columns of a file that are not imported, so that the reader notices one that should be. */
export class ColumnProfiles {
  readonly #columns: readonly { readonly name: string; readonly at: number }[];
  readonly #counts = new Map<string, Map<ColumnContent, number>>();

  constructor(columns: readonly ImportColumn[]) {
    this.#columns = columns.flatMap(({ name, kind }, at) => (kind === 'unknown' ? [{ name, at }] : []));
  }

  add(source: RowSource): void {
    if (source === null) return;
    for (const { name, at } of this.#columns) {
      const value = Array.isArray(source) ? source[at] : (source as Record<string, unknown>)[name];
      if (value === undefined || value === null || String(value).trim() === '') continue;
      const content = contentOf(String(value).trim());
      const counts = this.#counts.get(name) ?? new Map<ColumnContent, number>();
      this.#counts.set(name, counts.set(content, (counts.get(content) ?? 0) + 1));
    }
  }

  get unused(): readonly UnusedColumn[] {
    return this.#columns.map(({ name }) => {
      const counts = [...(this.#counts.get(name) ?? [])];
      const values = counts.reduce((sum, [, count]) => sum + count, 0);
      const most = counts.find(([, count]) => count >= values * majority);
      return { name, values, content: values === 0 ? 'empty' : (most?.[0] ?? 'texts') };
    });
  }
}

function contentOf(value: string): ColumnContent {
  return patterns.find(([, pattern]) => pattern.test(value))?.[0] ?? 'texts';
}
