import { describe, expect, it } from 'vitest';
import * as source from '../../../client/src/sheet/index.ts';

/** A name that the compiler does not follow: the package is built by then. */
const entry = '@anagrafe/client/sheet';

describe('the entry of the package', () => {
  it('has what its source exports', async () => {
    expect(Object.keys(await import(entry)).sort()).toEqual(Object.keys(source).sort());
  });

  it('reads a stream that cannot be iterated over, as some browsers have it, and lets go of it', async () => {
    let cancelled = false;
    const bytes = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('ID,Username,Password\n1,a,b\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    Object.defineProperty(bytes, Symbol.asyncIterator, { value: undefined });
    const plain = { getReader: () => bytes.getReader() } as ReadableStream<Uint8Array>;
    for await (const item of await source.openSheet(plain)) {
      expect(item).toMatchObject({ kind: 'user', row: 1 });
      break;
    }
    expect(cancelled).toBe(true);
  });

  it('lets go of the file where it is refused', async () => {
    let closed = false;
    async function* bytes() {
      try {
        for (;;) yield new TextEncoder().encode('Nothing,We,Know\n');
      } finally {
        closed = true;
      }
    }
    await expect(source.openSheet(bytes())).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    expect(closed).toBe(true);
  });
});
