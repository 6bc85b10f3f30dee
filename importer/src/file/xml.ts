import { SaxesParser } from 'saxes';
import { failure, limitPart } from './errors.ts';

/** Receives the parts of an XML document. Names come without their namespace prefix. */
export interface XmlHandler {
  open(name: string, attribute: (name: string) => string | undefined): void;
  /** Called before the next `open` or `close`, possibly more than once. */
  text?(text: string): void;
  close?(name: string): void;
}

/** Maximum length of a tag, a comment, or the text between two tags, which the parser keeps in memory. */
const partLimit = 262_144;
/** The length of the text between two checks of that limit. */
const pieceLength = 65_536;

/**
 * Parses the XML of a workbook as a stream. A document type declaration, which could define entities that expand without
 * a limit, is an error.
 *
 * @throws {ImportFileError} If the document is not valid.
 */
export async function* parseXml(chunks: AsyncIterable<string>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = new SaxesParser();
  let [written, partStart] = [0, 0];
  const endPart = () => {
    limitPart('xml', parser.position - partStart, partLimit);
    partStart = parser.position;
  };
  const invalid = () => {
    throw failure('INVALID_WORKBOOK', { place: null });
  };
  parser.on('error', invalid);
  parser.on('doctype', invalid);
  parser.on('comment', endPart);
  parser.on('processinginstruction', endPart);
  parser.on('opentag', ({ name, attributes }) => {
    endPart();
    handler.open(localName(name), (wanted) => {
      const found = Object.keys(attributes).find((key) => localName(key) === wanted);
      return found === undefined ? undefined : attributes[found];
    });
  });
  parser.on('closetag', ({ name }) => {
    endPart();
    handler.close?.(localName(name));
  });
  for (const event of ['text', 'cdata'] as const)
    parser.on(event, (text) => {
      endPart();
      handler.text?.(text);
    });
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += pieceLength) {
      const piece = chunk.slice(at, at + pieceLength);
      parser.write(piece);
      written += piece.length;
      limitPart('xml', written - partStart, partLimit);
    }
    // The caller takes what the handler has collected.
    yield;
  }
  parser.close();
}

/** Parses a document whose result is needed as a whole. */
export async function readXml(chunks: AsyncIterable<string>, handler: XmlHandler): Promise<void> {
  for await (const _ of parseXml(chunks, handler));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
