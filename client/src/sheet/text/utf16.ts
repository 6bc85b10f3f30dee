const decoder = new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true });

/** Decodes up to the first unpaired surrogate. The text is then shorter than half the number of bytes. */
export function decodeUtf16(bytes: Uint8Array, bigEndian: boolean): string {
  const little = bigEndian ? swapped(bytes) : bytes;
  try {
    return decoder.decode(little);
  } catch {
    return decoder.decode(little.subarray(0, validLength(little)));
  }
}

/** Returns the number of bytes at the end that belong to an incomplete code unit or surrogate pair. */
export function openLength(bytes: Uint8Array, bigEndian: boolean): number {
  const odd = bytes.length % 2;
  const last = bytes.length - odd - 2;
  if (last < 0) return odd;
  const high = bytes[bigEndian ? last : last + 1] as number;
  return (high & 0xfc) === 0xd8 ? odd + 2 : odd;
}

function swapped(bytes: Uint8Array): Uint8Array {
  const little = new Uint8Array(bytes.length);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    little[at] = bytes[at + 1] as number;
    little[at + 1] = bytes[at] as number;
  }
  return little;
}

/** Returns the number of bytes before the first unpaired surrogate. */
function validLength(little: Uint8Array): number {
  let at = 0;
  while (at < little.length) {
    const kind = (little[at + 1] ?? 0) & 0xfc;
    const follower = (little[at + 3] ?? 0) & 0xfc;
    if (kind === 0xdc || (kind === 0xd8 && follower !== 0xdc)) return at;
    at += kind === 0xd8 ? 4 : 2;
  }
  return little.length;
}
