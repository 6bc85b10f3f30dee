// Each gives null unless the text is the only one that stands for its bytes: Node's own decoder overlooks foreign
// characters, missing padding and stray bits at the end.

export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** The B64 of PHC strings: base64 without its padding. */
export function decodeUnpadded(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replaceAll('=', '') === text ? bytes : null;
}

/** The ab64 of passlib: without padding, and with a dot in place of the plus sign. */
export function decodeAdapted(text: string): Buffer | null {
  return text.includes('+') ? null : decodeUnpadded(text.replaceAll('.', '+'));
}
