import { type Operations, routes } from './api.gen.ts';
import type { Settings } from './options.ts';

export type OperationName = keyof Operations;

/** A serialised request. Every attempt of a call sends the same bytes. */
export interface WrittenRequest {
  readonly url: string;
  readonly init: RequestInit;
}

/** Operations sent without the access token: they start a session and must not fail because an old one has expired. */
const withoutSession: readonly OperationName[] = ['login', 'refresh'];

export function writeRequest<Name extends OperationName>(
  operation: Name,
  call: Operations[Name]['request'],
  headers: Readonly<Record<string, string>>,
  settings: Settings,
): WrittenRequest {
  const { path = {}, query = {}, body } = call as RequestParts;
  const { method, path: template } = routes[operation];
  const pathname = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathSegment(String(path[name])));
  const defined = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(defined.map(([name, value]): [string, string] => [name, String(value)]));
  return {
    url: `${settings.url}${pathname}${defined.length > 0 ? `?${search}` : ''}`,
    init: {
      method,
      // When fetch follows a redirect to another origin, it also sends the custom headers, which contain the keys.
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

/** Rejects an empty segment, `.` and `..`, because URL normalisation would change the path to another operation. */
function pathSegment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError('there is no such ID');
  return encodeURIComponent(text);
}

interface RequestParts {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
