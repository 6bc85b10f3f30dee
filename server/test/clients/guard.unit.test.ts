import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { anonymous } from '../../src/clients/access.ts';
import { guard } from '../../src/clients/authentication.plugin.ts';
import { ApiError } from '../../src/lib/field-errors.ts';

/** Returns the code with which a caller without any scope is refused. */
async function refusalOf(path: string, config: object): Promise<string> {
  const app = Fastify();
  guard(app, async () => ({ ...anonymous, kind: 'client', clientId: 1 }));
  app.setErrorHandler((error, _request, reply) => reply.send(error instanceof ApiError && error.detail.code));
  app.get(path, { config }, async () => null);
  return (await app.inject(path)).payload;
}

describe('a route below /admin/v1', () => {
  it.each([{}, { open: true }, { self: true }, { signIn: true }, { scope: 'sync:read' }])(
    'requires the scope admin, even if it declares %j',
    async (config) => {
      expect(await refusalOf('/admin/v1/things', config)).toBe('FORBIDDEN');
    },
  );
});

describe('any other route', () => {
  it('must declare who may call it', async () => {
    await expect(refusalOf('/api/things', {})).rejects.toThrow('GET /api/things');
  });
});
