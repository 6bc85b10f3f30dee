/** Size in bytes from which a buffer can be freed explicitly. */
const largeBytes = 1024 * 1024;

/** Part of ECMAScript 2024 that Node.js 20 has. */
interface ResizableArrayBuffer extends ArrayBuffer {
  readonly resizable: boolean;
  resize(bytes: number): void;
}
const ResizableArrayBuffer = ArrayBuffer as unknown as new (
  bytes: number,
  options: { readonly maxByteLength: number },
) => ResizableArrayBuffer;

/** Allocates a buffer. The memory of a large one can be freed with `freeLargeBuffer`. */
export function allocateBuffer(bytes: number): Buffer {
  if (bytes < largeBytes) return Buffer.allocUnsafe(bytes);
  return Buffer.from(new ResizableArrayBuffer(bytes, { maxByteLength: bytes }));
}

/**
 * Frees the memory of a large buffer at once: it would stay allocated until the next collection of the whole heap. The
 * buffer and all parts of it are empty afterwards. Does nothing if `allocateBuffer` did not allocate the buffer.
 */
export function freeLargeBuffer({ buffer }: Buffer): void {
  if ('resizable' in buffer && buffer.resizable) (buffer as ResizableArrayBuffer).resize(0);
}
