import { failure, limitPart } from './errors.ts';

/** Receives the parts of an XML document. Names come without their namespace prefix. */
export interface XmlHandler {
  open(name: string, attributes: (name: string) => string | undefined): void;
  /** Called before the next `open` or `close`, possibly more than once. */
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Maximum length of a tag, or of the text between two tags, in UTF-16 code units. The limit is low because
 * an incomplete part is read again with each chunk, and sufficient for a cell of `&#xFFFD;` only.
 */
const partLimit = 262_144;

/**
 * Parses the XML of a workbook as a stream: elements, attributes, text, character references and CDATA. A document type
 * declaration, which could define entities that expand without a limit, is an error.
 *
 * @throws {ImportFileError} If the document is not valid.
 */
export async function* parseXml(chunks: AsyncIterable<string>, handler: XmlHandler): AsyncGenerator<void> {
  let rest = '';
  for await (const chunk of chunks) {
    rest = feed(rest + chunk, handler);
    limitPart('xml', rest.length, partLimit);
    // The caller takes what the handler has collected.
    yield;
  }
  if (rest.trim() !== '') throw invalid();
}

/** Parses a document whose result is needed as a whole. */
export async function readXml(chunks: AsyncIterable<string>, handler: XmlHandler): Promise<void> {
  for await (const _ of parseXml(chunks, handler));
}

function invalid() {
  return failure('INVALID_WORKBOOK', { place: null });
}

/** Handles the complete parts of the text and returns the rest. */
function feed(text: string, handler: XmlHandler): string {
  let at = 0;
  for (;;) {
    const start = text.indexOf('<', at);
    if (start < 0) return text.slice(at);
    const part = markupAt(text, start);
    if (part === null) return text.slice(at);
    if (start > at) handler.text?.(decodeEntities(text.slice(at, start)));
    if (part.kind === 'cdata')
      handler.text?.(text.slice(start + '<![CDATA['.length, part.end - ']]>'.length));
    else if (part.kind === 'tag') handleTag(text.slice(start + 1, part.end - 1), handler);
    at = part.end;
  }
}

interface Markup {
  readonly kind: 'tag' | 'cdata' | 'ignored';
  /** Offset after the markup. */
  readonly end: number;
}

/** Returns null if the markup is not complete yet. */
function markupAt(text: string, start: number): Markup | null {
  const second = text[start + 1];
  if (second !== '!' && second !== '?') return tagAt(text, start);
  // The longest prefix that decides.
  if (text.length - start < '<![CDATA['.length) return null;
  if (text.startsWith('<?', start)) return until(text, start, '?>', 'ignored');
  if (text.startsWith('<!--', start)) return until(text, start, '-->', 'ignored');
  if (text.startsWith('<![CDATA[', start)) return until(text, start, ']]>', 'cdata');
  throw invalid();
}

function until(text: string, start: number, end: string, kind: Markup['kind']): Markup | null {
  const at = text.indexOf(end, start);
  return at < 0 ? null : { kind, end: at + end.length };
}

/** An attribute value may contain `>`. */
function tagAt(text: string, start: number): Markup | null {
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === '>') return { kind: 'tag', end: at + 1 };
    if (character !== '"' && character !== "'") continue;
    at = text.indexOf(character, at + 1);
    if (at < 0) return null;
  }
  return null;
}

/** Begins with a space, so that a long name without a value is tried once and not at each of its characters. */
const attribute = /\s([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function handleTag(tag: string, handler: XmlHandler): void {
  if (tag.startsWith('/')) {
    handler.close?.(localName(tag.slice(1).trim()));
    return;
  }
  const isEmpty = tag.endsWith('/');
  const content = isEmpty ? tag.slice(0, -1) : tag;
  const end = content.search(/\s/);
  const name = localName(end < 0 ? content : content.slice(0, end));
  handler.open(name, (wanted) => (end < 0 ? undefined : attributeOf(content, wanted)));
  if (isEmpty) handler.close?.(name);
}

function attributeOf(tag: string, wanted: string): string | undefined {
  // `matchAll` takes several times as long, which matters for millions of cells.
  attribute.lastIndex = 0;
  for (let found = attribute.exec(tag); found; found = attribute.exec(tag)) {
    const [, name = '', double, single] = found;
    if (localName(name) === wanted) return decodeEntities(double ?? single ?? '');
  }
  return undefined;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? '';
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    if (code > 0x10ffff) throw invalid();
    return String.fromCodePoint(code);
  });
}
