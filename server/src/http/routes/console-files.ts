import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../core/faults.ts';

/** Nothing but what this service gives out: no other host, no script or style in the page itself, no frame around it. */
const policy = (styles: string) =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;

const filesPolicy = policy("'self'");

/** `/console` as it was built: its files, and its page for every path that the page itself makes sense of. */
export async function consoleFiles(app: FastifyInstance, folder: string): Promise<void> {
  const index = await readFile(join(folder, 'index.html'), 'utf8');
  const hidden = { logLevel: 'warn', schema: { hide: true } } as const;

  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/console/',
    // One route for each file that is there: what is not goes to the page.
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz', 'index.html'],
    index: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    logLevel: 'warn',
    setHeaders(reply, path) {
      // What lies there has a digest of itself in its name.
      const lasting = path.slice(folder.length).startsWith('/assets/');
      reply.header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
      reply.header('content-security-policy', filesPolicy);
    },
  });

  /** The nonce lets in the styles that its components make, in this answer alone. */
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
    // A file of an earlier build is gone; the page in its place would be read as a script.
    if (extname(request.params['*']) !== '') throw new Refusal('NOT_FOUND');
    return sendPage(reply);
  });
}
