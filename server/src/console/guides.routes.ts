import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { packageFolder } from '../lib/package-folder.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Serves the documentation of this version below `/docs/pages/`. */
export async function guidePages(app: FastifyInstance, folder: string): Promise<void> {
  // Relative, so that it also works below a path of a proxy.
  app.get('/docs/pages', { logLevel: 'warn', schema: { hide: true } }, async (_request, reply) =>
    reply.redirect('pages/'),
  );
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/docs/pages/',
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    preCompressed: true,
    decorateReply: false,
    logLevel: 'warn',
    setHeaders: (reply) => {
      reply.header('cache-control', 'no-cache');
      reply.header('content-security-policy', policy);
    },
  });
}

export function builtGuides(): string | null {
  const folder = fileURLToPath(new URL('../console/guides/dist', packageFolder));
  return existsSync(join(folder, 'index.html')) ? folder : null;
}
