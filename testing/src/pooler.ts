import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterTest } from './endings.ts';

interface PoolerOptions {
  /** A client keeps its connection to PostgreSQL for a session, or for one transaction. */
  readonly mode: 'session' | 'transaction';
  /** The most connections to PostgreSQL in transaction mode. */
  readonly size?: number;
  /** Assigns the connection that was idle for the longest time; otherwise the one that was used last. */
  readonly roundRobin?: boolean;
  /** Startup parameters that are not passed on, as `ignore_startup_parameters` of PgBouncer names them. */
  readonly ignored?: readonly string[];
}

/** A connection to PostgreSQL. */
interface Backend {
  readonly socket: Socket;
  client: Client | null;
}

interface Client {
  readonly socket: Socket;
  backend: Backend | null;
  /** Bytes that wait for a backend. */
  waiting: Buffer[];
}

const terminate = 'X'.charCodeAt(0);
const readyForQuery = 'Z'.charCodeAt(0);
const idle = 'I'.charCodeAt(0);

/**
 * Pools connections to PostgreSQL as PgBouncer does. Each client authenticates on a backend of its own. In transaction
 * mode that backend joins the pool afterwards, and the client gets any backend of the pool for each transaction.
 */
export async function startPooler(databaseUrl: string, options: PoolerOptions): Promise<string> {
  const { mode, size = 20, roundRobin = false, ignored = [] } = options;
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const pool: Backend[] = [];
  const queue: Client[] = [];
  let backends = 0;

  function assign(): void {
    while (queue.length > 0 && pool.length > 0) {
      const client = queue.shift() as Client;
      const backend = (roundRobin ? pool.shift() : pool.pop()) as Backend;
      [client.backend, backend.client] = [backend, client];
      send(client);
    }
  }

  function send(client: Client): void {
    for (const data of client.waiting.splice(0)) client.backend?.socket.write(data);
  }

  function release(backend: Backend): void {
    if (backend.client) backend.client.backend = null;
    backend.client = null;
    pool.push(backend);
    assign();
  }

  function open(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  const server = createServer((accepted) => {
    const own: Backend = { socket: open(connect(Number(target.port), target.hostname)), client: null };
    const client: Client = { socket: open(accepted), backend: own, waiting: [] };
    own.client = client;
    let started = false;
    let authenticated = false;
    client.socket.on('data', (data) => {
      if (started && data[0] === terminate) {
        client.socket.end();
        return;
      }
      client.waiting.push(started ? data : withoutParameters(data, ignored));
      started = true;
      if (client.backend) send(client);
      else if (!queue.includes(client)) queue.push(client);
      assign();
    });
    client.socket.on('close', () => client.backend?.socket.destroy());
    const statuses = statusReader();
    own.socket.on('data', (data) => {
      own.client?.socket.write(data);
      if (!statuses(data).includes(idle) || mode === 'session') return;
      if (authenticated || backends < size) {
        if (!authenticated) backends += 1;
        authenticated = true;
        return release(own);
      }
      [client.backend, own.client] = [null, null];
      own.socket.destroy();
    });
    own.socket.on('close', () => own.client?.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterTest(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  return url.href;
}

/** Reads the messages of a backend, and returns the transaction status of every ReadyForQuery among them. */
function statusReader(): (data: Buffer) => number[] {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    const statuses: number[] = [];
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      if (rest[0] === readyForQuery) statuses.push(rest.readUInt8(5));
      rest = rest.subarray(1 + rest.readInt32BE(1));
    }
    return statuses;
  };
}

/** Removes parameters from a StartupMessage: its length and the protocol version, then names and values. */
function withoutParameters(message: Buffer, ignored: readonly string[]): Buffer {
  const texts = message.toString('utf8', 8).split('\0');
  const kept: string[] = [];
  for (let at = 0; texts[at]; at += 2)
    if (!ignored.includes(texts[at] ?? '')) kept.push(`${texts[at]}\0${texts[at + 1]}\0`);
  const parameters = Buffer.from(`${kept.join('')}\0`);
  const head = Buffer.from(message.subarray(0, 8));
  head.writeInt32BE(head.length + parameters.length);
  return Buffer.concat([head, parameters]);
}
