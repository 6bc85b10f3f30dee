import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessStore } from '../clients/access.ts';
import type { Readiness } from '../db/readiness.ts';
import { ApiError } from '../lib/field-errors.ts';
import { packageFolder } from '../lib/package-folder.ts';

/** Registers `/console` for a service without a built console: a page with the readiness and links. */
export function consolePage(
  app: FastifyInstance,
  tools: { version: string; readiness: Readiness; access: AccessStore },
): void {
  const { version, readiness, access } = tools;
  app.get('/console', { logLevel: 'warn', schema: { hide: true } }, async (_request, reply) => {
    const trouble = await readiness.check();
    const open = trouble === null && !(await access.hasClients());
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(page(version, trouble, open));
  });
}

function page(version: string, trouble: string | null, open: boolean): string {
  const state = trouble === null ? 'Ready.' : `Not ready: ${trouble}`;
  const access = open
    ? 'Protected mode: no API client exists yet, so programs of the user that runs the service can call it without a credential. To create the first client and end protected mode, run <code>npx --no -- anagrafe client create --name erp</code>.'
    : 'Requests need the credential of an API client. To list the clients, run <code>npx --no -- anagrafe client list</code>.';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Anagrafe</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
  code { font-size: 0.95em; }
  .state { padding: 0.75rem 1rem; border-left: 4px solid ${trouble === null ? '#2f9e44' : '#e03131'}; }
  dt { font-weight: 600; margin-top: 0.75rem; }
  dd { margin: 0; }
</style>
</head>
<body>
<main>
<h1>Anagrafe ${version}</h1>
<p class="state" role="status">${state}</p>
${trouble === null ? `<p>${access}</p>` : ''}
<dl>
<dt><a href="/docs">API documentation</a></dt><dd>All operations, with forms to try them.</dd>
<dt><a href="/openapi.json">OpenAPI document</a></dt><dd>The API description for tools.</dd>
<dt><a href="/metrics">Metrics</a></dt><dd>Requests, records, users and hashing, in the Prometheus format.</dd>
<dt><a href="/health/ready">Health</a></dt><dd>Readiness of the service.</dd>
</dl>
</main>
</body>
</html>
`;
}

/** The Content-Security-Policy: it allows no other host, no inline script and no framing. */
const policy = (styles: string) =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;

const filesPolicy = policy("'self'");

/** Serves the built console under `/console`: its files, and `index.html` for the paths of its client-side router. */
export async function consoleFiles(app: FastifyInstance, folder: string): Promise<void> {
  const index = await readFile(join(folder, 'index.html'), 'utf8');
  const hidden = { logLevel: 'warn', schema: { hide: true } } as const;

  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/console/',
    // The plugin registers one route for each existing file; the route `/console/*` below handles every other path.
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz', 'index.html'],
    index: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    logLevel: 'warn',
    setHeaders(reply, path) {
      // The build puts a content hash into the file names of this folder.
      const hashed = path.slice(folder.length).startsWith('/assets/');
      reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      reply.header('content-security-policy', filesPolicy);
    },
  });

  /** Sends `index.html` with a nonce for this response, which permits the styles that its components insert. */
  function sendPage(reply: FastifyReply): FastifyReply {
    const nonce = randomBytes(16).toString('base64');
    const page = index.replace(/<head[^>]*>/, (head) => `${head}<meta name="csp-nonce" content="${nonce}">`);
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy(`'self' 'nonce-${nonce}'`))
      .send(page);
  }

  app.get('/console', hidden, async (_request, reply) => sendPage(reply));
  app.get('/console/*', hidden, async (request: FastifyRequest<{ Params: { '*': string } }>, reply) => {
    // A request for a file of an earlier build must fail: a browser would load the page as a script.
    if (extname(request.params['*']) !== '') throw new ApiError('NOT_FOUND');
    return sendPage(reply);
  });
}

export function builtConsole(): string | null {
  const folder = fileURLToPath(new URL('../console/dist', packageFolder));
  return existsSync(join(folder, 'index.html')) ? folder : null;
}
