import { describe, expect, it } from 'vitest';
import * as source from '../src/index.ts';

/** A variable, so that the compiler does not resolve the import: the package is built only before the tests run. */
const entry = '@anagrafe/importer';

describe('the package @anagrafe/importer', () => {
  it('has the exports of its source', async () => {
    expect(Object.keys(await import(entry)).sort()).toEqual(Object.keys(source).sort());
  });

  it('reads a stream without Symbol.asyncIterator, as in some browsers, and cancels it', async () => {
    let cancelled = false;
    const bytes = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('ID,Username,Password\n1,a,b\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    Object.defineProperty(bytes, Symbol.asyncIterator, { value: undefined });
    const plain = { getReader: () => bytes.getReader() } as ReadableStream<Uint8Array>;
    for await (const row of await source.openImportFile(plain)) {
      expect(row).toMatchObject({ kind: 'user', number: 1 });
      break;
    }
    expect(cancelled).toBe(true);
  });

  it('closes a file that it refuses', async () => {
    let closed = false;
    async function* bytes() {
      try {
        for (;;) yield new TextEncoder().encode('Nothing,We,Know\n');
      } finally {
        closed = true;
      }
    }
    await expect(source.openImportFile(bytes())).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    expect(closed).toBe(true);
  });
});
