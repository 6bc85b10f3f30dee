import type { SheetLayout } from './bookmark.ts';
import type { SheetColumn } from './columns/columns.ts';
import type { FoundRows } from './found-rows.ts';
import type { RowReader, SheetItem, SheetSource } from './item.ts';
import type { Found } from './scanner.ts';
import type { Decoder } from './text/decoder.ts';

/** A file of users that is being read. It can be iterated over once; whoever breaks off the loop lets go of the file. */
export interface Sheet extends AsyncIterable<SheetItem> {
  /** What the columns are; in JSON, those of the first row. */
  readonly columns: readonly SheetColumn[];
  /** The columns that nothing reads because nobody said what they are: to be told to the user, and mapped. */
  readonly unknown: readonly string[];
  /** As far as it is known by now. */
  readonly layout: SheetLayout;
}

export interface SheetParts<Content extends SheetSource> {
  readonly layout: Omit<SheetLayout, 'encoding'>;
  readonly columns: readonly SheetColumn[];
  readonly rows: FoundRows<Content>;
  readonly reader: RowReader<Content>;
  readonly decoder: Decoder;
  /** The number of the last row that was read before. */
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

  /** One object for all rows, until the encoding is found out. */
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
