import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { CountingLog } from './counting-log.ts';

interface ConnectionLimits {
  /** Maximum number of requests of one connection that wait for their answers. */
  readonly unanswered: number;
  /** Time in milliseconds after which a client that reads its answer too slowly is disconnected. */
  readonly stalledMs: number;
}

export const connectionLimits: ConnectionLimits = { unanswered: 16, stalledMs: 60_000 };

/** Number of checks for stalled clients within `stalledMs`. */
const checks = 4;
/** A client is disconnected if it takes fewer bytes within `stalledMs`, although more wait for it all the time. */
const minBytes = 65_536;
const requestTimeoutMs = 300_000;
const keepAliveMs = 72_000;

interface Connection {
  readonly responses: Set<ServerResponse>;
  /** Bytes that the client had taken at each of the last checks, all of which found waiting bytes. */
  taken: number[];
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Keeps account of the requests of each connection.
 *
 * Pipelined requests are handled one after the other: their answers are sent in that order, and would wait in memory. A
 * request that waits holds nothing. A connection with too many of them is closed, as is one whose client does not read
 * its answer.
 *
 * When the server stops, connections without an active request are closed, so that the stop waits for requests only.
 * This covers kept-alive connections, and those that were opened and never used, which Node does not count as idle.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  #logClosed: (socket: Socket, reason: string) => void = () => undefined;
  #stopping = false;

  constructor(limits = connectionLimits) {
    this.#limits = limits;
  }

  /** The `serverFactory` of Fastify. */
  readonly createServer = (handle: Handler): Server => {
    const timeouts = { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveMs };
    const server = createServer({ ...timeouts, requireHostHeader: false });
    server.on('connection', (socket) => this.#connected(socket));
    server.on('request', (request, response) => this.#requested(request, response, handle));
    return server;
  };

  /** Adds the hooks of an app whose servers `createServer` has made. */
  register(app: FastifyInstance): void {
    const closed = new CountingLog<{ readonly reason: string }>(app.log, {
      level: 'info',
      first: 'connection closed',
      further: 'further connections closed',
    });
    this.#logClosed = (socket, reason) =>
      closed.note({ reason }, app.log.child({ ip: socket.remoteAddress }));
    const timer = setInterval(() => this.#closeStalled(), this.#limits.stalledMs / checks).unref();
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (this.#stopping) reply.header('connection', 'close');
      // Fastify would wait for the response to be closed, which has already happened, and a file would stay open.
      if (reply.raw.destroyed && payload instanceof Readable) payload.destroy();
      done(null, payload);
    });
    app.addHook('preClose', async () => {
      this.#stopping = true;
      for (const [socket, { responses }] of this.#connections) if (responses.size === 0) socket.destroy();
      const others = otherListeners.get(app.server) ?? [];
      await Promise.all(others.map((listener) => new Promise((resolve) => listener.close(resolve))));
    });
    app.addHook('onClose', async () => {
      clearInterval(timer);
      closed.close();
    });
  }

  #connected(socket: Socket): void {
    if (this.#stopping) {
      socket.destroy();
      return;
    }
    const responses = new Set<ServerResponse>();
    this.#connections.set(socket, { responses, taken: [] });
    socket.once('close', () => this.#connections.delete(socket));
    stopParsingWhenClosed(socket);
  }

  #requested(request: IncomingMessage, response: ServerResponse, handle: Handler): void {
    const { socket } = request;
    const responses = this.#connections.get(socket)?.responses;
    if (!responses || socket.destroyed) return;
    if (responses.size >= this.#limits.unanswered) {
      this.#disconnect(socket, 'too many unanswered requests');
      return;
    }
    const before = [...responses].at(-1);
    responses.add(response);
    response.once('close', () => {
      responses.delete(response);
      if (this.#stopping && responses.size === 0 && !socket.destroyed) socket.destroySoon();
    });
    if (!before) handle(request, response);
    else
      onceClosed(before, () => {
        // Without a socket the response would never be closed: the answer before has ended the connection.
        if (response.socket) handle(request, response);
      });
  }

  #closeStalled(): void {
    for (const [socket, connection] of this.#connections) {
      const { sent, waiting } = bytesOf(socket);
      connection.taken = waiting > 0 ? [...connection.taken, sent].slice(-checks - 1) : [];
      const [first = 0, ...later] = connection.taken;
      if (later.length === checks && sent - first < minBytes)
        this.#disconnect(socket, 'the client does not read its answer');
    }
  }

  #disconnect(socket: Socket, reason: string): void {
    this.#logClosed(socket, reason);
    socket.destroy();
  }
}

/** The listeners on further addresses of a server. */
const otherListeners = new WeakMap<Server, NetServer[]>();

/** Lets a server that listens on one address of a host name, such as `localhost`, accept connections on the others. */
export async function listenOnOtherAddresses(server: Server, host: string, backlog: number): Promise<void> {
  const { address, port } = server.address() as AddressInfo;
  const found = await lookup(host, { all: true });
  const listeners: NetServer[] = [];
  for (const other of new Set(found.map((each) => each.address))) {
    if (other === address) continue;
    const options = { allowHalfOpen: true, noDelay: true };
    const listener = createNetServer(options, (socket) => server.emit('connection', socket));
    listener.listen({ host: other, port, backlog });
    await once(listener, 'listening');
    listeners.push(listener);
  }
  otherListeners.set(server, listeners);
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

interface Parser {
  onIncoming(request: IncomingMessage, keepAlive: boolean): number;
}

/**
 * Ends the parsing of what has arrived when a request closes its connection. Node would parse the other requests too,
 * 1,600 in 64 KB, and make an error for each of them. A negative result is an error of the parser.
 */
function stopParsingWhenClosed(socket: Socket): void {
  const { parser } = socket as { parser?: Parser | null };
  if (!parser) return;
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    const result = onIncoming(request, keepAlive);
    return socket.destroyed ? -1 : result;
  };
}

/** Calls `listener` when the response ends or its connection is lost, or at once if that has happened already. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}
