import type { FastifyRequest } from 'fastify';
import { unknownParameter, wrongParameter } from '../core/fields/parameters.ts';

type Flag = 'debug' | 'dryRun' | 'failed' | 'open' | 'reads';
type Figure = 'page' | 'pageSize';
/** Checked by whoever reads it. */
type Text = 'after' | 'order' | 'principal';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The parameters of the query that a route takes, beside `debug`. */
    query?: readonly (Flag | Figure | Text)[];
  }
}

const figures: Record<Figure, { fallback: number; max: number }> = {
  page: { fallback: 1, max: 1_000_000 },
  pageSize: { fallback: 100, max: 1000 },
};

const texts: readonly string[] = ['after', 'order', 'principal'] satisfies Text[];

/** A parameter that is not known could have meant something important, so that it is refused. */
export function checkQuery(request: FastifyRequest): void {
  const known = ['debug', ...(request.routeOptions.config.query ?? [])];
  for (const [name, value] of Object.entries(queryOf(request))) {
    if (!known.includes(name)) throw unknownParameter(name, known);
    if (isFigure(name)) {
      const { max } = figures[name];
      const number = /^\d{1,9}$/.test(String(value)) ? Number(value) : 0;
      if (number < 1 || number > max) throw wrongParameter(name, 'number', { min: 1, max });
    } else if (!texts.includes(name) && value !== 'true' && value !== 'false') {
      throw wrongParameter(name, 'flag');
    }
  }
}

export function isFlagged(request: FastifyRequest, name: Flag, fallback = false): boolean {
  return String(queryOf(request)[name] ?? fallback) === 'true';
}

export function pageOf(request: FastifyRequest): { page: number; pageSize: number } {
  const { page, pageSize } = queryOf(request);
  return {
    page: Number(page ?? figures.page.fallback),
    pageSize: Number(pageSize ?? figures.pageSize.fallback),
  };
}

/** Null where it was not sent. */
export function textOf(request: FastifyRequest, name: Text): string | null {
  const value = queryOf(request)[name];
  return value === undefined ? null : String(value);
}

function isFigure(name: string): name is Figure {
  return Object.hasOwn(figures, name);
}

function queryOf(request: FastifyRequest): Readonly<Record<string, unknown>> {
  return (request.query ?? {}) as Record<string, unknown>;
}
