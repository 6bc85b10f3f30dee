import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { unknownParameter, wrongParameter } from '../lib/request-fields.ts';

type FlagParameter = 'debug' | 'dryRun' | 'failed' | 'open' | 'reads';
type NumberParameter = 'page' | 'pageSize';
/** Text parameters are validated by the route that reads them. */
type TextParameter = 'after' | 'order' | 'principal';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query parameters that a route accepts in addition to `debug`. */
    query?: readonly (FlagParameter | NumberParameter | TextParameter)[];
  }
}

const numberParameters: Record<NumberParameter, { fallback: number; max: number }> = {
  page: { fallback: 1, max: 1_000_000 },
  pageSize: { fallback: 100, max: 1000 },
};

const textParameters: readonly string[] = ['after', 'order', 'principal'] satisfies TextParameter[];

/** Rejects unknown parameters: ignoring a misspelled `dryRun`, for example, would change data. */
export function checkQuery(request: FastifyRequest): void {
  const known = ['debug', ...(request.routeOptions.config.query ?? [])];
  for (const [name, value] of Object.entries(queryOf(request))) {
    if (!known.includes(name)) throw unknownParameter(name, known);
    if (isNumberParameter(name)) {
      const { max } = numberParameters[name];
      const number = /^\d{1,9}$/.test(String(value)) ? Number(value) : 0;
      if (number < 1 || number > max) throw wrongParameter(name, 'number', { min: 1, max });
    } else if (!textParameters.includes(name) && value !== 'true' && value !== 'false') {
      throw wrongParameter(name, 'flag');
    }
  }
}

export function isFlagged(request: FastifyRequest, name: FlagParameter, fallback = false): boolean {
  return String(queryOf(request)[name] ?? fallback) === 'true';
}

export function pageOf(request: FastifyRequest): { page: number; pageSize: number } {
  const { page, pageSize } = queryOf(request);
  return {
    page: Number(page ?? numberParameters.page.fallback),
    pageSize: Number(pageSize ?? numberParameters.pageSize.fallback),
  };
}

/** Returns a text parameter; null if it was not sent. */
export function textOf(request: FastifyRequest, name: TextParameter): string | null {
  const value = queryOf(request)[name];
  return value === undefined ? null : String(value);
}

function isNumberParameter(name: string): name is NumberParameter {
  return Object.hasOwn(numberParameters, name);
}

function queryOf(request: FastifyRequest): Readonly<Record<string, unknown>> {
  return (request.query ?? {}) as Record<string, unknown>;
}

/** Returns true if the request has `Prefer: respond-async` (RFC 7240). */
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
  const mayRead = caller.user !== null || caller.scopes.has('sync:read') || caller.scopes.has('admin');
  return mayRead ? 'all' : 'registered';
}

function preferencesOf({ prefer }: IncomingHttpHeaders): string[] {
  const preferences = (Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')).split(/[,;]/);
  return preferences.map((text) => text.replaceAll(/[\s"]/g, '').toLowerCase());
}
