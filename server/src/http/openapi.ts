import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { definitions } from './schemas.ts';

/** Must be called before the routes are registered, which the document collects. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  // By name, so that the document does not depend on the order in which modules are loaded.
  for (const name of Object.keys(definitions).sort())
    app.addSchema({ $id: name.slice(0, -1), ...definitions[name] });
  await app.register(swagger, {
    refResolver: { buildLocalReference: (schema) => String(schema.$id) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Anagrafe',
        version,
        description:
          'Stores principals (company and customer records) and their users. Every JSON answer under `/api/` and `/admin/` has the same envelope, except lists of failed records. `ErrorCode` lists all error codes.',
        license: { name: 'MIT', identifier: 'MIT' },
        contact: { name: 'Anagrafe' },
      },
      externalDocs: { url: '/docs/pages/', description: 'Guides of this version' },
      // Relative to the address of the document, which is the service itself.
      servers: [{ url: '/', description: 'This service.' }],
      tags: [
        {
          name: 'irs',
          description:
            'Principals and their users. `irs` is the name of the registry of principals in this API.',
        },
        { name: 'jobs', description: 'Calls that run in the background.' },
        { name: 'login', description: 'Sign-in of users.' },
        { name: 'events', description: 'Changes as CloudEvents.' },
        { name: 'webhooks', description: 'Endpoints that receive events.' },
        { name: 'console', description: 'Sessions of the web console.' },
        { name: 'admin', description: 'API clients, call history, audit log and statistics.' },
      ],
      components: {
        securitySchemes: {
          publicKey: {
            type: 'apiKey',
            in: 'header',
            name: 'SyncPublicKey',
            description: 'The public key of an API client.',
          },
          secretKey: {
            type: 'apiKey',
            in: 'header',
            name: 'SyncSecretKey',
            description: 'The secret key of the same API client.',
          },
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: '`<public key>.<secret key>` of an API client, or the access token of a user.',
          },
        },
      },
      security: [{ publicKey: [], secretKey: [] }, { bearer: [] }, {}],
    },
  });
}

/** Registers `/openapi.json` and the pages below `/docs`. */
export async function documentRoutes(app: FastifyInstance): Promise<void> {
  let document: { readonly bytes: Buffer; readonly etag: string } | undefined;

  /** All answers share the same bytes: a document for each of many unread answers would use up the memory. */
  function sendDocument(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    document ??= withTag(Buffer.from(JSON.stringify(app.swagger())));
    reply.header('etag', document.etag).header('cache-control', 'no-cache');
    if (request.headers['if-none-match'] === document.etag) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(document.bytes);
  }
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
    sendDocument(request, reply),
  );
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Blocks external resources: the page must work in a closed network, and must not contact other hosts.
    staticCSP:
      "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    uiConfig: { docExpansion: 'list', validatorUrl: null },
    uiHooks: {
      preHandler: (request, reply, done) => {
        if (request.routeOptions.url === '/docs/json') sendDocument(request, reply);
        else done();
      },
    },
    theme: {
      title: 'Anagrafe API',
      css: [{ filename: 'plain.css', content: pageStyle }],
      js: [{ filename: 'viewport.js', content: viewport }],
    },
  });
}

/** Without it, a phone shows the page as wide as on a desktop, in tiny letters. */
const viewport = `document.head.append(Object.assign(document.createElement('meta'),
  { name: 'viewport', content: 'width=device-width, initial-scale=1' }))`;

/** On a phone, long paths wrap, and the cells of tables are below each other. */
const pageStyle = `.swagger-ui .topbar { display: none !important }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 8px }
  .swagger-ui .info { margin: 20px 0 }
  .swagger-ui .scheme-container { padding: 12px 0 }
  .swagger-ui .opblock-tag { flex-wrap: wrap; font-size: 18px }
  .swagger-ui .opblock .opblock-summary, .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; gap: 4px }
  .swagger-ui .opblock .opblock-summary-control { flex-wrap: wrap; min-width: 0 }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; white-space: normal; overflow-wrap: anywhere }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: 0 }
  .swagger-ui table.parameters thead, .swagger-ui table.responses-table thead { display: none }
  .swagger-ui table.parameters, .swagger-ui table.parameters > tbody, .swagger-ui table.parameters tr,
  .swagger-ui table.parameters td, .swagger-ui table.responses-table, .swagger-ui table.responses-table > tbody,
  .swagger-ui table.responses-table > tbody > tr, .swagger-ui table.responses-table > tbody > tr > td
    { display: block; width: auto; max-width: 100%; min-width: 0 }
  .swagger-ui table.parameters td, .swagger-ui table.responses-table > tbody > tr > td { padding: 4px 0 }
  .swagger-ui input, .swagger-ui select, .swagger-ui textarea { max-width: 100% }
  .swagger-ui .opblock-body pre.microlight, .swagger-ui .model-box { max-width: 100%; overflow-x: auto }
  .swagger-ui .markdown, .swagger-ui .renderedMarkdown, .swagger-ui code { overflow-wrap: anywhere }
}`;

function withTag(bytes: Buffer): { bytes: Buffer; etag: string } {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}
