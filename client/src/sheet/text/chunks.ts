/** The bytes of a file: of `createReadStream(path)` in Node, `Deno.open(path).readable`, or `file.stream()` in a browser. */
export type SheetBytes = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** What is worked on at a time, however large the chunks are that come in. */
const chunkSize = 65_536;

export async function* chunksOf(bytes: SheetBytes): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of Symbol.asyncIterator in bytes ? bytes : read(bytes)) {
    for (let at = 0; at < chunk.length; at += chunkSize) yield chunk.subarray(at, at + chunkSize);
  }
}

/** Not every browser can iterate over a stream. */
async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
