import type { IncomingHttpHeaders } from 'node:http';

/** Whether the caller wants the written users back (RFC 7240, `Prefer: return=representation`). */
export function wantsRepresentation(headers: IncomingHttpHeaders): boolean {
  const header = headers.prefer;
  const preferences = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(/[,;]/);
  const returns = preferences
    .map((text) => text.replaceAll(/[\s"]/g, '').toLowerCase())
    .filter((text) => text.startsWith('return='));
  // Of a preference that is given twice, the first counts.
  return returns[0] === 'return=representation';
}
