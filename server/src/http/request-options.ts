import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { wrongParameter } from '../lib/field-errors.ts';

/** Returns a flag of the query, which is still text in a request that is refused before its query is validated. */
export function isFlagged({ query }: FastifyRequest, name: 'debug' | 'dryRun'): boolean {
  return String((query as Readonly<Record<string, unknown>> | undefined)?.[name]) === 'true';
}

export function wantsAsync(headers: IncomingHttpHeaders): boolean {
  return preferencesOf(headers).includes('respond-async');
}

/**
 * The written users that an answer includes.
 * `all`: every user with its names.
 * `registered`: names only for users that this request registered, because the caller may not read.
 * null: no users.
 */
export type Representation = 'all' | 'registered' | null;

/** Reads `Prefer: return=representation` (RFC 7240). The names of existing users require the scope `sync:read`. */
export function representationFor({ headers, caller }: FastifyRequest): Representation {
  // Only the first instance of a repeated preference counts (RFC 7240, section 2).
  const preferred = preferencesOf(headers).find((text) => text.startsWith('return='));
  if (preferred !== 'return=representation') return null;
  const mayRead = caller.user !== null || caller.permissions.has('records.read');
  return mayRead ? 'all' : 'registered';
}

function preferencesOf({ prefer }: IncomingHttpHeaders): string[] {
  const preferences = (Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')).split(/[,;]/);
  return preferences.map((text) => text.replaceAll(/[\s"]/g, '').toLowerCase());
}

/** Returns the ranges of a header such as `Accept` in lower case, each with its quality (RFC 9110). */
export function qualitiesOf(header: string | undefined): [range: string, quality: number][] {
  return (header ?? '').split(',', 50).map((item) => {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return [range, Number(quality ?? 1)];
  });
}

/** The mails of a job alone can be slowed. A dry run sends none. */
export function mailsPerMinute(request: FastifyRequest): number | null {
  const { perMinute = null } = request.query as { perMinute?: number };
  if (perMinute !== null && !wantsAsync(request.headers) && !isFlagged(request, 'dryRun'))
    throw wrongParameter('perMinute', 'needs', { other: 'Prefer: respond-async' });
  return perMinute;
}

/** Reads the ID of the run that the call is a part of. */
export function runOf({ headers }: FastifyRequest): string | null {
  const sent = headers['anagrafe-run'];
  if (sent === undefined) return null;
  if (typeof sent !== 'string' || !isUuid(sent)) throw wrongParameter('Anagrafe-Run', 'uuid');
  return sent.toLowerCase();
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
