import type { ExportedPrincipal, Page } from './api.gen.ts';
import { UnexpectedAnswerError } from './errors.ts';
import type { PageOptions } from './options.ts';
import { delay } from './retry.ts';

/**
 * A list with numbered pages. Iterate to read all records, which requests one page at a time, or call `page` to read
 * one page with the total counts.
 *
 * @example
 * ```ts
 * for await (const principal of anagrafe.list({ Search: 'rossi' })) console.log(principal.ID);
 * const { records, totalCount } = await anagrafe.list().page(3);
 * ```
 */
export class PagedList<Item, About = null> implements AsyncIterable<Item> {
  readonly #read: (page: number) => Promise<Page<Item, About>>;

  constructor(read: (page: number) => Promise<Page<Item, About>>) {
    this.#read = read;
  }

  /** Reads one page, counted from 1. `records` is empty after the last page. */
  page(page = 1): Promise<Page<Item, About>> {
    return this.#read(page);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let number = 1; ; number++) {
      const { records, totalPages } = await this.#read(number);
      yield* records;
      if (number >= totalPages) return;
    }
  }
}

/** A keyset page: some records of a list and the cursor of the next page. */
export interface CursorPage<Item, Cursor> {
  readonly records: readonly Item[];
  /** The cursor after the last record of this page. Pass it to `page` to read the next page. Null if there is none. */
  readonly after: Cursor | null;
  /** True if the next page already has records. */
  readonly more: boolean;
}

/** Options of every call that returns a {@link CursorList}. */
export interface CursorListOptions extends PageOptions, FollowOptions {
  /** The record to start with. Default: `oldest`. With `newest` the iteration ends at the oldest record. */
  readonly order?: 'oldest' | 'newest' | undefined;
}

/** Options of {@link Anagrafe.events}. */
export interface EventOptions extends CursorListOptions {
  /** The `id` of the last event already read (exclusive). If omitted or null, starts at the first event in `order`. */
  readonly after?: string | null | undefined;
}

/** Options for polling at the end of a {@link CursorList}. */
export interface FollowOptions {
  /** Polls for new records after the last one, until `signal` is aborted. Default: false, the iteration ends. */
  readonly follow?: boolean | undefined;
  /** Milliseconds between two polls. Default: 2,000. */
  readonly pollMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

type ReadAfter<Item, Cursor> = (
  after: Cursor | null,
) => Promise<Page<Item, { After: Cursor | null; More: boolean }>>;

type StartOptions<Cursor> = CursorListOptions & { readonly after?: Cursor | null | undefined };

/**
 * An append-only list that is read with a cursor (keyset pagination). Iterate to read all records, or call `page` to
 * read one page.
 *
 * @example
 * ```ts
 * for await (const event of anagrafe.events({ after: lastId, follow: true, signal })) {
 *   await handle(event);
 *   lastId = event.id;
 * }
 * ```
 */
export class CursorList<Item, Cursor> implements AsyncIterable<Item> {
  readonly #read: ReadAfter<Item, Cursor>;
  readonly #options: StartOptions<Cursor>;

  constructor(read: ReadAfter<Item, Cursor>, options: StartOptions<Cursor>) {
    if (options.follow && options.order === 'newest') throw new TypeError('follow requires the order oldest');
    this.#read = read;
    this.#options = options;
  }

  /** Reads one page after the cursor. Default: the cursor that the list was created with. */
  async page(after: Cursor | null = this.#options.after ?? null): Promise<CursorPage<Item, Cursor>> {
    const { records, record } = await this.#read(after);
    return { records, after: record.After, more: record.More };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const { follow, pollMs = 2000, signal } = this.#options;
    for (let cursor: Cursor | null = this.#options.after ?? null; ; ) {
      const { records, after, more } = await this.page(cursor);
      yield* records;
      cursor = after;
      if (more) continue;
      if (!follow) return;
      await delay(pollMs, signal);
    }
  }
}

/** `spreadsheet` is CSV without formulas, to open in a spreadsheet. Only `csv` can be imported again. */
export type ExportFormat = 'ndjson' | 'csv' | 'spreadsheet';

/** Options of an export. Without `ID` and `ExternalKey` it has all principals. */
export interface ExportFilter {
  readonly ID?: number | undefined;
  readonly ExternalKey?: string | undefined;
  /** Only principals that have one of the tags. */
  readonly Tags?: readonly string[] | undefined;
  /** Includes the password hashes, for a move to another system. Requires the scope `admin`. Default: false. */
  readonly hashes?: boolean | undefined;
  /** The separator of CSV. Excel expects a semicolon where numbers have a decimal comma. Default: a comma. */
  readonly separator?: ',' | ';' | 'tab' | undefined;
}

/**
 * An export of principals with their users, as they are stored at one moment. Each iteration is a new export: iterate
 * to read principals, or call `bytes` to save a file. Leaving the loop early ends the export.
 *
 * A principal with more than 1,000 users has several elements with the same `ID`, one after the other.
 *
 * @example
 * ```ts
 * for await (const { ExternalKey, Users } of anagrafe.exportRecords()) console.log(ExternalKey, Users.length);
 * await pipeline(anagrafe.exportRecords().bytes('csv'), createWriteStream('anagrafe.csv'));
 * ```
 */
export class RecordExport<Item = ExportedPrincipal> implements AsyncIterable<Item> {
  readonly #open: (format: ExportFormat) => Promise<AsyncIterable<Uint8Array>>;

  constructor(open: (format: ExportFormat) => Promise<AsyncIterable<Uint8Array>>) {
    this.#open = open;
  }

  /** Yields the bytes of a file in UTF-8. A CSV file can be imported again. */
  async *bytes(format: ExportFormat): AsyncGenerator<Uint8Array, void, undefined> {
    yield* await this.#open(format);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const line of linesOf(await this.#open('ndjson'))) yield parseLine(line);
  }
}

function parseLine<Item>(line: string): Item {
  try {
    return JSON.parse(line);
  } catch {
    throw new UnexpectedAnswerError({ status: 200, message: 'A line of the export is not JSON.' }, {});
  }
}

/** Yields the lines of a text in UTF-8. Each line must end with a line feed. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  /** The parts of the line that is not complete. They are joined once, because a line may have many megabytes. */
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    parts.push(first);
    for (const other of others) {
      yield parts.join('');
      parts = [other];
    }
  }
  if (parts.join('') !== '')
    throw new UnexpectedAnswerError({ status: 200, message: 'The export is not complete.' }, {});
}
