import type { SheetLayout } from './bookmark.ts';
import type { SheetColumn } from './columns/columns.ts';
import type { FoundRows } from './found-rows.ts';
import type { RowReader, SheetItem, SheetSource } from './item.ts';
import type { Found } from './scanner.ts';
import type { Decoder } from './text/decoder.ts';

/** An open file of users. It can be iterated once. Leaving the loop early closes the file. */
export interface Sheet extends AsyncIterable<SheetItem> {
  /** The columns of the file; for JSON those of the first row. */
  readonly columns: readonly SheetColumn[];
  /** Names of the columns that are neither recognised nor mapped. Their values are ignored. */
  readonly unknown: readonly string[];
  /** The format as detected so far. `encoding` may still change from null during the iteration. */
  readonly layout: SheetLayout;
}

export interface SheetParts<Content extends SheetSource> {
  readonly layout: Omit<SheetLayout, 'encoding'>;
  readonly columns: readonly SheetColumn[];
  readonly rows: FoundRows<Content>;
  readonly reader: RowReader<Content>;
  readonly decoder: Decoder;
  /** The number of the last row of an earlier reading that this one continues; 0 without one. */
  readonly rowsBefore: number;
}

export class RowSheet<Content extends SheetSource> implements Sheet {
  readonly columns: readonly SheetColumn[];
  readonly #parts: SheetParts<Content>;
  #row: number;
  #layout: SheetLayout;

  constructor(parts: SheetParts<Content>) {
    this.columns = parts.columns;
    this.#parts = parts;
    this.#row = parts.rowsBefore;
    this.#layout = { ...parts.layout, encoding: parts.decoder.encoding };
  }

  get unknown(): string[] {
    return this.columns.filter(({ kind }) => kind === 'unknown').map(({ name }) => name);
  }

  /** Returns the same object for all rows, to save memory. It is replaced when the encoding is detected. */
  get layout(): SheetLayout {
    const { encoding } = this.#parts.decoder;
    if (this.#layout.encoding !== encoding) this.#layout = { ...this.#layout, encoding };
    return this.#layout;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SheetItem, void, undefined> {
    for await (const batch of this.#parts.rows.batches()) {
      for (const found of batch) yield this.#item(found);
    }
  }

  #item(found: Found<Content>): SheetItem {
    const { reader } = this.#parts;
    const { line, end: mark } = found;
    const row = ++this.#row;
    const end = { row, byte: mark.byte, line: mark.line, column: mark.column, layout: this.layout };
    if (found.fault) {
      const source = found.content && reader.original(found.content);
      return { kind: 'fault', row, line, end, source, faults: [found.fault] };
    }
    const source = reader.original(found.content);
    return { row, line, end, source, ...reader.meaning(source) };
  }
}
