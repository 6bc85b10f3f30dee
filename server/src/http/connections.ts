import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Closes connections without an active request when the server stops, so that the stop waits for requests only.
 * Covers kept-alive connections, and those that were opened and never used, which Node does not count as idle.
 */
export function endIdleConnections(app: FastifyInstance): void {
  const activeRequests = new Map<Socket, number>();
  let stopping = false;

  app.server.on('connection', (socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    activeRequests.set(socket, 0);
    socket.once('close', () => activeRequests.delete(socket));
  });
  app.server.prependListener('request', ({ socket }, response) => {
    activeRequests.set(socket, (activeRequests.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (activeRequests.get(socket) ?? 1) - 1;
      if (socket.destroyed) return;
      activeRequests.set(socket, left);
      if (stopping && left === 0) socket.destroySoon();
    });
  });

  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    stopping = true;
    for (const [socket, count] of activeRequests) if (count === 0) socket.destroy();
  });
}
