import type { IncomingHttpHeaders } from 'node:http';

/** Whether the caller would rather not wait for the work (RFC 7240, `Prefer: respond-async`). */
export function wantsAsync(headers: IncomingHttpHeaders): boolean {
  return preferencesOf(headers).includes('respond-async');
}

/** Whether the caller wants the written users back (RFC 7240, `Prefer: return=representation`). */
export function wantsRepresentation(headers: IncomingHttpHeaders): boolean {
  // Of a preference that is given twice, the first counts.
  return preferencesOf(headers).find((text) => text.startsWith('return=')) === 'return=representation';
}

function preferencesOf({ prefer }: IncomingHttpHeaders): string[] {
  const preferences = (Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')).split(/[,;]/);
  return preferences.map((text) => text.replaceAll(/[\s"]/g, '').toLowerCase());
}
