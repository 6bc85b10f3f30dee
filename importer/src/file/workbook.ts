import { rowLimit } from './csv-scanner.ts';
import { failure, fileError, limitPart } from './errors.ts';
import type { ScannedRow } from './scan.ts';
import { cellText, decodeControls, type SheetCell, type Styles, StylesReader } from './workbook-cells.ts';
import { parseXml, readXml, type XmlHandler } from './xml.ts';
import { readZipDirectory, readZipText, type ZipEntry } from './zip.ts';

/** Maximum size in bytes of the file, of its content after decompression, and of the texts that are kept in memory. */
const fileLimit = 67_108_864;
const contentLimit = 536_870_912;
const textsLimit = 134_217_728;
/**
 * The content may have this size in any file, and in a larger one at most 100 times the size of the file. Spreadsheet
 * programs reach a ratio of about 20.
 */
const smallContent = 33_554_432;
const ratioMax = 100;
const sheetsMax = 1000;
const relationsMax = 10_000;
/** The numbers of rows and of characters in a cell that Excel allows. */
const rowsMax = 1_048_576;
const cellMax = 32_767;
/**
 * Maximum number of columns. Empty cells are not stored, so that a small file could otherwise make every row as wide as
 * the last column.
 */
const columnsMax = 1000;

export interface SheetRow {
  /** Number of the row in the sheet, from 1. */
  readonly line: number;
  /** The cells up to the last one with a value. */
  readonly cells: string[];
  /** True if the row has a value after the column `columnsMax`, which is not among the cells. */
  isTooWide: boolean;
}

/**
 * Returns a row with at least `width` cells: a sheet does not store the empty cells at the end of a row. A row that is
 * too large has an error instead.
 */
export function scannedRow(
  { line, cells, isTooWide }: SheetRow,
  { width }: { readonly width: number },
): ScannedRow<readonly string[]> {
  if (isTooWide)
    return { line, content: null, error: fileError('TOO_MANY_COLUMNS', { line, limit: columnsMax }) };
  if (cells.reduce((sum, cell) => sum + cell.length, 0) > rowLimit)
    return { line, content: null, error: fileError('ROW_TOO_LARGE', { line, limit: rowLimit }) };
  while (cells.length < width) cells.push('');
  return { line, content: cells, error: null };
}

interface Sheet {
  readonly name: string;
  /** Size of the workbook in bytes. */
  readonly bytes: number;
  /** Reads the rows that are not empty, as a stream. */
  rows(): AsyncGenerator<SheetRow[]>;
}

/**
 * Opens a sheet of an .xlsx workbook. A workbook whose content is too large is refused before it is decompressed.
 *
 * @param wanted Name or number, from 1, of the sheet. Default: the first one that is not hidden.
 * @throws {ImportFileError} If the workbook is too large or cannot be read, or has no such sheet.
 */
export async function openWorkbook(
  bytes: AsyncIterable<Uint8Array>,
  wanted: string | undefined,
): Promise<Sheet> {
  const archive = await collect(bytes);
  const entries = await readZipDirectory(archive);
  const workbook = entries.get('xl/workbook.xml');
  if (!workbook) throw failure('SPREADSHEET_FILE', {});
  const total = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  const limit = Math.min(contentLimit, Math.max(smallContent, ratioMax * archive.length));
  if (total > limit) throw failure('WORKBOOK_TOO_LARGE', { limit });
  const { sheets, is1904 } = await readSheets(workbook);
  const sheet = findSheet(sheets, wanted);
  const paths = await readRelations(entries.get('xl/_rels/workbook.xml.rels'));
  const content = entries.get(paths.get(sheet.relation)?.path ?? '');
  if (!content) throw failure('INVALID_WORKBOOK', { place: sheet.name });
  const ofType = (type: string) => {
    const found = [...paths.values()].find((relation) => relation.type.endsWith(`/${type}`));
    return found && entries.get(found.path);
  };
  const styles = await readStyles(ofType('styles'), is1904);
  const texts = await readSharedTexts(ofType('sharedStrings'));
  return { name: sheet.name, bytes: archive.length, rows: () => readRows(content, texts, styles) };
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > fileLimit) throw failure('WORKBOOK_TOO_LARGE', { limit: fileLimit });
    // The source may reuse its buffer.
    chunks.push(new Uint8Array(chunk));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

interface SheetReference {
  readonly name: string;
  readonly relation: string;
  readonly isHidden: boolean;
}

async function readSheets(entry: ZipEntry): Promise<{ sheets: SheetReference[]; is1904: boolean }> {
  const sheets: SheetReference[] = [];
  let is1904 = false;
  await readXml(readZipText(entry), {
    open(name, attribute) {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attribute('date1904') ?? '');
      if (name !== 'sheet') return;
      const isHidden = (attribute('state') ?? 'visible') !== 'visible';
      sheets.push({ name: attribute('name') ?? '', relation: attribute('id') ?? '', isHidden });
      limitPart('sheets', sheets.length, sheetsMax);
    },
  });
  return { sheets, is1904 };
}

function findSheet(sheets: readonly SheetReference[], wanted: string | undefined): SheetReference {
  const found =
    wanted === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : (sheets.find(({ name }) => name === wanted) ??
        sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase()) ??
        (/^[1-9]\d*$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined));
  if (found) return found;
  throw failure('SHEET_NOT_FOUND', { sheet: wanted ?? '1', found: sheets.map(({ name }) => name) });
}

async function readRelations(entry: ZipEntry | undefined) {
  const paths = new Map<string, { readonly type: string; readonly path: string }>();
  if (!entry) return paths;
  await readXml(readZipText(entry), {
    open(name, attribute) {
      if (name !== 'Relationship') return;
      // A target is relative to the folder of the workbook, or absolute.
      const target = attribute('Target') ?? '';
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
      paths.set(attribute('Id') ?? '', { type: attribute('Type') ?? '', path });
      limitPart('relations', paths.size, relationsMax);
    },
  });
  return paths;
}

async function readStyles(entry: ZipEntry | undefined, is1904: boolean): Promise<Styles> {
  const reader = new StylesReader();
  if (entry) await readXml(readZipText(entry), reader);
  return { formats: reader.formats, is1904 };
}

/** Reads the texts of the workbook, to which cells refer by index. */
async function readSharedTexts(entry: ZipEntry | undefined): Promise<readonly string[]> {
  if (!entry) return [];
  if (entry.uncompressedSize > textsLimit) throw failure('WORKBOOK_TOO_LARGE', { limit: textsLimit });
  const texts: string[] = [];
  const reader = new TextElements();
  await readXml(readZipText(entry), {
    open(name) {
      if (name === 'si') reader.value = '';
      reader.open(name);
    },
    text: (text) => reader.text(text),
    close(name) {
      reader.close(name);
      if (name === 'si') texts.push(decodeControls(reader.value));
    },
  });
  return texts;
}

/** Collects the text of `t` elements, without the pronunciation (`rPh`) of Asian texts. */
class TextElements {
  value = '';
  #isText = false;
  #isPhonetic = false;

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true;
    if (name === 't') this.#isText = !this.#isPhonetic;
  }

  text(text: string): void {
    if (!this.#isText) return;
    this.value += text;
    limitPart('cell', this.value.length, cellMax);
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
    if (name === 't') this.#isText = false;
  }
}

async function* readRows(
  entry: ZipEntry,
  texts: readonly string[],
  styles: Styles,
): AsyncGenerator<SheetRow[]> {
  const reader = new RowReader(texts, styles);
  for await (const _ of parseXml(readZipText(entry), reader)) yield reader.take();
  yield reader.take();
}

/** Collects the rows of a worksheet. */
class RowReader implements XmlHandler {
  readonly #texts: readonly string[];
  readonly #styles: Styles;
  readonly #inline = new TextElements();
  #rows: SheetRow[] = [];
  /** Number of rows so far, including empty ones. */
  #count = 0;
  /** Number of characters of all cells so far. Many cells can share a long text. */
  #length = 0;
  #row: SheetRow = { line: 0, cells: [], isTooWide: false };
  #column = -1;
  #cell: SheetCell | null = null;
  #isValue = false;

  constructor(texts: readonly string[], styles: Styles) {
    this.#texts = texts;
    this.#styles = styles;
  }

  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'row') {
      limitPart('rows', ++this.#count, rowsMax);
      const line = Number(attribute('r') ?? this.#row.line + 1);
      this.#row = { line, cells: [], isTooWide: false };
      this.#column = -1;
    } else if (name === 'c') {
      this.#column = columnOf(attribute('r')) ?? this.#column + 1;
      const style = Number(attribute('s') ?? 0);
      this.#cell = { type: attribute('t') ?? 'n', style, hasFormula: false, value: null, inline: '' };
      this.#inline.value = '';
    } else if (this.#cell && name === 'f') this.#cell.hasFormula = true;
    else if (this.#cell && name === 'v') {
      this.#isValue = true;
      this.#cell.value = '';
    }
    this.#inline.open(name);
  }

  text(text: string): void {
    if (this.#isValue && this.#cell) {
      const value = (this.#cell.value ?? '') + text;
      limitPart('cell', value.length, cellMax);
      this.#cell.value = value;
    } else this.#inline.text(text);
  }

  close(name: string): void {
    this.#inline.close(name);
    if (name === 'v') this.#isValue = false;
    if (name === 'c' && this.#cell) {
      this.#cell.inline = this.#inline.value;
      this.#endCell(this.#cell);
    }
    if (name === 'row' && (this.#row.cells.length > 0 || this.#row.isTooWide)) this.#rows.push(this.#row);
  }

  #endCell(cell: SheetCell): void {
    this.#cell = null;
    const text = cellText(cell, this.#texts, this.#styles);
    if (text === null) throw failure('INVALID_WORKBOOK', { place: `row ${this.#row.line}` });
    if (text === '') return;
    this.#length += text.length;
    if (this.#length > contentLimit) throw failure('WORKBOOK_TOO_LARGE', { limit: contentLimit });
    if (this.#column >= columnsMax) {
      this.#row.isTooWide = true;
      return;
    }
    const { cells } = this.#row;
    while (cells.length < this.#column) cells.push('');
    cells[this.#column] = text;
  }
}

/** Converts the letters of a reference such as `AB12` to an index from 0. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
