import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
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
          'Keeps principal records and the user accounts that belong to them. Every answer under `/api/` and `/admin/` is the same envelope; `docs/errors.md` lists its codes.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [
        { name: 'irs', description: 'Principal records and their users' },
        { name: 'jobs', description: 'Calls that were taken with `Prefer: respond-async`' },
        { name: 'console', description: 'Who is signed in at `/console`' },
        { name: 'admin', description: 'What those who look after the service see and do' },
      ],
      components: {
        securitySchemes: {
          publicKey: { type: 'apiKey', in: 'header', name: 'SyncPublicKey' },
          secretKey: { type: 'apiKey', in: 'header', name: 'SyncSecretKey' },
          bearer: { type: 'http', scheme: 'bearer', description: '<public key>.<secret key>' },
        },
      },
      security: [{ publicKey: [], secretKey: [] }, { bearer: [] }, {}],
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Blocks external resources: the page must work in a closed network, and must not contact other hosts.
    staticCSP:
      "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'self'; base-uri 'self'",
    uiConfig: { docExpansion: 'list', validatorUrl: null },
    theme: {
      title: 'Anagrafe API',
      css: [{ filename: 'plain.css', content: '.swagger-ui .topbar { display: none !important }' }],
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
