import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../lib/field-errors.ts';

/** Headers that a page may send. Those with the keys of an API client are not among them: a page cannot keep a secret. */
const requestHeaders = 'AccessToken, Authorization, Content-Type, Prefer, X-Request-Id';
const exposedHeaders = 'Retry-After, X-Request-Id';
const maxAgeSeconds = 600;

/**
 * Lets web pages of these origins call the routes that users call: those that need no credential (`open`) and those
 * that take an access token (`self`). Cookies are never allowed (`Access-Control-Allow-Credentials`), since a user is
 * identified by its token only. All other routes, and all routes without origins, behave as if CORS did not exist.
 *
 * Must be called before the hooks that authenticate a request, so that a page can read their errors. `root` gets the
 * preflight routes, which need no credential, because browsers send none.
 */
export function allowOrigins(api: FastifyInstance, origins: readonly string[], root: FastifyInstance): void {
  if (origins.length === 0) return;
  // An exact comparison: neither "https://good.example.evil" nor "null" equals an allowed origin.
  const allowed = new Set(origins);
  const methods = new Map<string, Set<string>>();

  /** Returns true, and sets the headers of the answer, if the page that sent the request may read it. */
  function admit(origin: string | undefined, reply: FastifyReply): boolean {
    reply.header('vary', 'Origin');
    if (origin === undefined || !allowed.has(origin)) return false;
    reply.header('access-control-allow-origin', origin);
    return true;
  }

  api.addHook('onRoute', ({ url, method, config }) => {
    if (!isForUsers(config)) return;
    const known = methods.get(url);
    const added = [method].flat();
    methods.set(url, new Set([...(known ?? []), ...added]));
    if (known) return;
    root.options(url, { schema: { hide: true } }, async ({ headers }, reply) => {
      if (!admit(headers.origin, reply)) throw new ApiError('FORBIDDEN', { variant: 'origin' });
      return reply
        .header('access-control-allow-methods', [...(methods.get(url) ?? [])].join(', '))
        .header('access-control-allow-headers', requestHeaders)
        .header('access-control-max-age', maxAgeSeconds)
        .code(204)
        .send();
    });
  });

  api.addHook('onRequest', async ({ headers, routeOptions }, reply) => {
    if (isForUsers(routeOptions.config) && admit(headers.origin, reply))
      reply.header('access-control-expose-headers', exposedHeaders);
  });
}

function isForUsers(config: { self?: boolean; open?: boolean } | undefined): boolean {
  return Boolean(config?.self || config?.open);
}
