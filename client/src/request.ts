import { type Operations, routes } from './api.gen.ts';
import type { Settings } from './options.ts';

export type OperationName = keyof Operations;

/** A request that can be sent any number of times, the same byte for byte. */
export interface WrittenRequest {
  readonly url: string;
  readonly init: RequestInit;
}

/** Those that give a session out must not be refused because the old one is over. */
const withoutSession: readonly OperationName[] = ['login', 'refresh'];

export function writeRequest<Name extends OperationName>(
  operation: Name,
  call: Operations[Name]['request'],
  headers: Readonly<Record<string, string>>,
  settings: Settings,
): WrittenRequest {
  const { path = {}, query = {}, body } = call as Parts;
  const { method, path: template } = routes[operation];
  const place = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(String(path[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return {
    url: `${settings.url}${place}${given.length > 0 ? `?${search}` : ''}`,
    init: {
      method,
      // Keys in headers of their own would go along to wherever a redirect leads.
      redirect: 'manual',
      ...(settings.credentials && { credentials: settings.credentials }),
      headers: {
        ...settings.headers,
        ...settings.clientHeaders,
        ...(withoutSession.includes(operation) ? {} : settings.userHeaders),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
  };
}

/** Dots would lead to another path, and to another call. */
function segmentOf(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError('there is no such ID');
  return encodeURIComponent(text);
}

interface Parts {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
