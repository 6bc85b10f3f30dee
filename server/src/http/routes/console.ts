import type { FastifyInstance } from 'fastify';
import type { AccessStore } from '../../core/access/access.ts';
import type { Readiness } from './operation.ts';

/** `/console` where the console has not been built: how the service is, and where to go from here. */
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
  const state = trouble === null ? 'Ready to take calls.' : `Not ready: ${trouble}`;
  const access = open
    ? 'Protected mode: no API client exists yet, so programs on this machine may call without a credential. <code>npx --no -- anagrafe client create --name erp</code> creates the first client and ends it.'
    : 'Callers need an API client; <code>npx --no -- anagrafe client list</code> shows them.';
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
<dt><a href="/docs">Documentation of the API</a></dt><dd>Every call, to read and to try.</dd>
<dt><a href="/openapi.json">OpenAPI document</a></dt><dd>The same for programs.</dd>
<dt><a href="/metrics">Metrics</a></dt><dd>Calls, records, users, hashing, in the format of Prometheus.</dd>
<dt><a href="/health/ready">Health</a></dt><dd>Whether the service can take calls.</dd>
</dl>
</main>
</body>
</html>
`;
}
