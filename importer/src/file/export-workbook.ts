import { CsvScanner } from './csv-scanner.ts';

/** Converts an export as CSV, which is separated by commas, to a workbook of text cells while it is read. */
export async function exportedWorkbook(csv: AsyncIterable<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const { streamWorkbook } = await import('./workbook-writer.ts');
  return streamWorkbook(rowsOf(csv));
}

async function* rowsOf(csv: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  // Without the byte order mark.
  const decoder = new TextDecoder();
  const scanner = new CsvScanner(',');
  const takeRows = function* () {
    for (const { content, error } of scanner.found) {
      if (!content) throw new Error(`The export has a row that cannot be read: ${error?.code}`);
      yield content;
    }
    scanner.found = [];
  };
  for await (const bytes of csv) {
    scanner.feed(decoder.decode(bytes, { stream: true }));
    yield* takeRows();
  }
  scanner.end();
  yield* takeRows();
}
