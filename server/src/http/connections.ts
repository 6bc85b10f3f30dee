import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Keeps account of the requests of each connection.
 *
 * When the server stops, it closes connections without an active request, so that the stop waits for requests only.
 * This covers kept-alive connections, and those that were opened and never used, which Node does not count as idle.
 *
 * When a connection is lost, it closes all responses. Node closes only the first one: those to pipelined requests behind
 * it would never emit `close`, and what their requests hold would never be released.
 */
export function trackConnections(app: FastifyInstance): void {
  const openResponses = new Map<Socket, Set<ServerResponse>>();
  let stopping = false;

  app.server.on('connection', (socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    openResponses.set(socket, new Set());
    socket.once('close', () => {
      for (const response of openResponses.get(socket) ?? []) if (response.socket === null) close(response);
      openResponses.delete(socket);
    });
  });
  app.server.prependListener('request', ({ socket }, response) => {
    const open = openResponses.get(socket);
    open?.add(response);
    response.once('close', () => {
      open?.delete(response);
      if (stopping && open?.size === 0 && !socket.destroyed) socket.destroySoon();
    });
  });

  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    stopping = true;
    for (const [socket, { size }] of openResponses) if (size === 0) socket.destroy();
  });
}

function close(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}

/** Calls `listener` when the response ends or its connection is lost, or at once if that has happened already. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}
