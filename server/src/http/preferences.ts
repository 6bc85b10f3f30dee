import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Whether the caller would rather not wait for the work (RFC 7240, `Prefer: respond-async`). */
export function wantsAsync(headers: IncomingHttpHeaders): boolean {
  return preferencesOf(headers).includes('respond-async');
}

/**
 * The written users that an answer shows. `registered`: only those that the call itself registered have their names, since
 * the caller may not read. Null: none at all.
 */
export type Representation = 'all' | 'registered' | null;

/** Reads `Prefer: return=representation` (RFC 7240). The names of users that existed before need the scope `sync:read`. */
export function representationFor({ headers, caller }: FastifyRequest): Representation {
  // Of a preference that is given twice, the first counts.
  const preferred = preferencesOf(headers).find((text) => text.startsWith('return='));
  if (preferred !== 'return=representation') return null;
  const mayRead = caller.user !== null || caller.scopes.has('sync:read') || caller.scopes.has('admin');
  return mayRead ? 'all' : 'registered';
}

function preferencesOf({ prefer }: IncomingHttpHeaders): string[] {
  const preferences = (Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')).split(/[,;]/);
  return preferences.map((text) => text.replaceAll(/[\s"]/g, '').toLowerCase());
}
