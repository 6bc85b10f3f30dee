import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { anonymous } from '../../src/clients/access.ts';
import { guard } from '../../src/clients/authentication.plugin.ts';
import { ApiError } from '../../src/lib/field-errors.ts';

/** Returns the code with which a caller without any permission is refused. */
async function refusalOf(path: string, config: object): Promise<string> {
  const app = Fastify();
  guard(
    app,
    async () => ({ ...anonymous, kind: 'client', clientId: 1 }),
    () => {},
  );
  app.setErrorHandler((error, _request, reply) => reply.send(error instanceof ApiError && error.detail.code));
  app.get(path, { config }, async () => null);
  return (await app.inject(path)).payload;
}

describe('a route', () => {
  it('is closed to a client without its permission', async () => {
    expect(await refusalOf('/things', { permission: 'records.read' })).toBe('FORBIDDEN');
  });

  it('must declare who may call it', async () => {
    await expect(refusalOf('/admin/v1/things', {})).rejects.toThrow('GET /admin/v1/things');
  });
});
