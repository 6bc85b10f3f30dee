import { TextReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js';

const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The parts of a workbook with one sheet. The style 1 has the format "Text" (49). */
const parts: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${spreadsheet}" xmlns:r="${relationships}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${spreadsheet}"><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};

/**
 * Writes a workbook whose cells are all texts, and whose columns have the format "Text", so that a spreadsheet program
 * changes no value that looks like a number or a date, typed ones neither.
 */
export async function writeWorkbook(rows: Rows): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(streamWorkbook(rows)).arrayBuffer());
}

type Rows = Iterable<readonly string[]> | AsyncIterable<readonly string[]>;

/** Writes such a workbook while it is read: few rows are in memory at a time. */
export function streamWorkbook(rows: Rows): ReadableStream<Uint8Array<ArrayBuffer>> {
  let fail: (error: unknown) => void = () => undefined;
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    start(controller) {
      fail = (error) => controller.error(error);
    },
  });
  const write = async () => {
    const zip = new ZipWriter(writable, { useWebWorkers: false });
    for (const [name, content] of Object.entries(parts)) await zip.add(name, new TextReader(xml + content));
    await zip.add('xl/worksheets/sheet1.xml', streamOf(sheetOf(rows)));
    await zip.close();
  };
  write().catch(fail);
  return readable;
}

/** Size of the pieces of the sheet, in UTF-16 code units. */
const pieceLength = 65_536;

function streamOf(texts: AsyncGenerator<string, void, undefined>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      let piece = '';
      while (piece.length < pieceLength) {
        const next = await texts.next();
        if (!next.done) {
          piece += next.value;
          continue;
        }
        if (piece !== '') controller.enqueue(encoder.encode(piece));
        return controller.close();
      }
      controller.enqueue(encoder.encode(piece));
    },
    async cancel() {
      await texts.return();
    },
  });
}

/** Maximum number of columns and rows of Excel. */
const columnsMax = 16_384;
const rowsMax = 1_048_576;

async function* sheetOf(rows: Rows): AsyncGenerator<string, void, undefined> {
  yield `${xml}<worksheet xmlns="${spreadsheet}"><cols><col min="1" max="${columnsMax}" width="16" style="1"/></cols><sheetData>`;
  let count = 0;
  for await (const cells of rows) {
    if (++count > rowsMax) throw new Error(`A worksheet has at most ${rowsMax} rows.`);
    yield `<row>${cells.map(cellOf).join('')}</row>`;
  }
  yield '</sheetData></worksheet>';
}

function cellOf(text: string): string {
  return text === ''
    ? '<c s="1"/>'
    : `<c s="1" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Writes the characters that XML does not have as `_x000D_`, and an underscore before such a text as `_x005F_`. */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[\dA-F]{4}_)/gi, '_x005F_')
    .replace(/[&<>]/g, (character) => entities[character] ?? character)
    .replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to write in another way.
      /[\x00-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
}
