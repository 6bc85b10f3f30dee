import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

interface ConnectionLimits {
  /** Maximum number of requests of one connection that wait for their answers. */
  readonly unanswered: number;
  /** Time in milliseconds after which a client that takes none of the bytes that wait for it is disconnected. */
  readonly stalledMs: number;
}

export const connectionLimits: ConnectionLimits = { unanswered: 16, stalledMs: 60_000 };

/** Number of checks for stalled clients within `stalledMs`. */
const checks = 4;

interface Connection {
  readonly responses: Set<ServerResponse>;
  /** Bytes that the client had taken at the last check. */
  sent: number;
  /** Number of checks in a row that found waiting bytes and no progress. */
  stalledChecks: number;
}

/**
 * Keeps account of the requests of each connection.
 *
 * It closes a connection with too many unanswered requests, whose answers would wait in memory, and one whose client
 * does not read its answer.
 *
 * When the server stops, it closes connections without an active request, so that the stop waits for requests only.
 * This covers kept-alive connections, and those that were opened and never used, which Node does not count as idle.
 *
 * When a connection is lost, it closes all responses. Node closes only the first one: those to pipelined requests behind
 * it would never emit `close`, and what their requests hold would never be released.
 */
export function trackConnections(app: FastifyInstance, limits = connectionLimits): void {
  const connections = new Map<Socket, Connection>();
  let stopping = false;

  function disconnect(socket: Socket, reason: string): void {
    app.log.info({ ip: socket.remoteAddress, reason }, 'connection closed');
    socket.destroy();
  }

  app.server.on('connection', (socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    const responses = new Set<ServerResponse>();
    connections.set(socket, { responses, sent: 0, stalledChecks: 0 });
    socket.once('close', () => {
      for (const response of responses) if (response.socket === null) close(response);
      connections.delete(socket);
    });
  });
  app.server.prependListener('request', ({ socket }, response) => {
    const responses = connections.get(socket)?.responses;
    responses?.add(response);
    response.once('close', () => {
      responses?.delete(response);
      if (stopping && responses?.size === 0 && !socket.destroyed) socket.destroySoon();
    });
    if (responses && responses.size > limits.unanswered && !socket.destroyed)
      disconnect(socket, 'too many unanswered requests');
  });
  // The parser passes on all requests that arrived together, also those after the one that closed the connection.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.raw.socket.destroyed) reply.hijack();
    else done();
  });

  const timer = setInterval(() => {
    for (const [socket, connection] of connections) {
      const { sent, waiting } = bytesOf(socket);
      const isStalled = waiting > 0 && sent === connection.sent;
      connection.sent = sent;
      connection.stalledChecks = isStalled ? connection.stalledChecks + 1 : 0;
      if (connection.stalledChecks >= checks) disconnect(socket, 'the client does not read its answer');
    }
  }, limits.stalledMs / checks).unref();

  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close');
    // Fastify would wait for the response to be closed, which has already happened, and a file would stay open.
    if (reply.raw.destroyed && payload instanceof Readable) payload.destroy();
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    stopping = true;
    for (const [socket, { responses }] of connections) if (responses.size === 0) socket.destroy();
  });
  app.addHook('onClose', async () => clearInterval(timer));
}

/**
 * Returns the bytes that the client has taken, and those that wait for it. `socket.bytesWritten` counts a large write as
 * soon as it has begun, and the timeout of a socket also begins again with each byte that is received.
 */
function bytesOf(socket: Socket): { sent: number; waiting: number } {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  if (!handle) return { sent: 0, waiting: 0 };
  return { sent: handle.bytesWritten - handle.writeQueueSize, waiting: handle.writeQueueSize };
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
