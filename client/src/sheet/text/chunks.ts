/**
 * The bytes of a file: `createReadStream(path)` in Node.js, `(await Deno.open(path)).readable` in Deno, or
 * `file.stream()` in a browser.
 */
export type SheetBytes = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** Maximum size of a chunk in bytes. It bounds the memory for decoded text and rows. */
const chunkSize = 65_536;

/** Splits the chunks of a file that are larger than `chunkSize`. */
export async function* chunksOf(bytes: SheetBytes): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of Symbol.asyncIterator in bytes ? bytes : read(bytes)) {
    for (let at = 0; at < chunk.length; at += chunkSize) yield chunk.subarray(at, at + chunkSize);
  }
}

/** Iterates over a stream in browsers that do not support `for await` on a `ReadableStream`. */
async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
