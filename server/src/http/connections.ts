import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets a stop wait for calls alone. Connections that no call is using would hold it up: those kept alive, and those
 * that were opened and never used, which Node does not count as idle.
 */
export function endIdleConnections(app: FastifyInstance): void {
  const calls = new Map<Socket, number>();
  let stopping = false;

  app.server.on('connection', (socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    calls.set(socket, 0);
    socket.once('close', () => calls.delete(socket));
  });
  app.server.prependListener('request', ({ socket }, response) => {
    calls.set(socket, (calls.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (calls.get(socket) ?? 1) - 1;
      if (socket.destroyed) return;
      calls.set(socket, left);
      if (stopping && left === 0) socket.destroySoon();
    });
  });

  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
  app.addHook('preClose', async () => {
    stopping = true;
    for (const [socket, count] of calls) if (count === 0) socket.destroy();
  });
}
