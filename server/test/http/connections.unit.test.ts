import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { onceClosed, trackConnections } from '../../src/http/connections.ts';
import { until } from '../setup/until.ts';

it('a lost connection closes the responses to all of its pipelined requests', async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  trackConnections(app);
  const counts = { begun: 0, closed: 0 };
  app.addHook('onRequest', (_request, reply, done) => {
    counts.begun++;
    onceClosed(reply.raw, () => counts.closed++);
    done();
  });
  // The first call is never answered, so that the answers to the others wait for it.
  app.get('/first', () => new Promise(() => undefined));
  app.get('/other', async () => ({}));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const paths = ['/first', '/other', '/other'];
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
  await until(
    () => counts.begun === paths.length,
    () => 'all requests to begin',
  );
  expect(counts.closed).toBe(0);
  socket.resetAndDestroy();
  await until(
    () => counts.closed === paths.length,
    () => `all responses to be closed; ${counts.closed} are`,
  );
});
