import { crc32, deflateRawSync } from 'node:zlib';

/** Writes a ZIP archive. `declaredSize` replaces the true size of an entry after decompression. */
export function zip(
  files: Readonly<Record<string, string>>,
  { declaredSize, isStored = false }: { readonly declaredSize?: number; readonly isStored?: boolean } = {},
): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const compressed = isStored ? content : deflateRawSync(content);
    const size = declaredSize ?? content.length;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(compressed.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), compressed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export interface WorkbookParts {
  /** The `row` elements of each sheet, by name. */
  readonly sheets: Readonly<Record<string, string>>;
  /** The content of `sst`. */
  readonly texts?: string;
  /** The format codes of the styles 1, 2, … */
  readonly formats?: readonly string[];
  readonly workbook?: string;
  readonly hidden?: readonly string[];
}

/** Returns the files of a workbook, for cells that a spreadsheet program would not write in a test. */
export function workbookFiles({
  sheets,
  texts = '',
  formats = [],
  workbook = '',
  hidden = [],
}: WorkbookParts): Record<string, string> {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`;
  const sheet = (name: string, at: number) =>
    `<sheet name="${name}" sheetId="${at + 1}" ${hidden.includes(name) ? 'state="hidden" ' : ''}r:id="rId${at + 1}"/>`;
  return {
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns:r="${relations}">${workbook}<sheets>${names.map(sheet).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names
      .map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
      .join(
        '',
      )}${relation('s', 'styles', 'styles.xml')}${relation('t', 'sharedStrings', '/xl/sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet><numFmts>${formats
      .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`)
      .join(
        '',
      )}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${texts}</sst>`,
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
  };
}

/** Returns a row of inline texts. */
export function textRow(line: number, cells: readonly string[]): string {
  const cell = (text: string, at: number) =>
    `<c r="${String.fromCharCode(65 + at)}${line}" t="inlineStr"><is><t>${text}</t></is></c>`;
  return `<row r="${line}">${cells.map(cell).join('')}</row>`;
}
