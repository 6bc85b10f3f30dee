import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** The value of `Retry-After` in seconds; 0 without the header. */
  readonly retryAfter: number;
}

interface Waiting {
  resolve(answer: RawAnswer): void;
  reject(error: Error): void;
}

/**
 * Sends requests on kept-alive sockets, without the HTTP client of Node.js, which needs several times as much processor
 * time for a request: a benchmark that sends hundreds of requests per second would take it from the service.
 */
export class RawClient {
  readonly #host: string;
  readonly #port: number;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
  }

  /** Sends a JSON body with POST. Opens another connection if all wait for an answer. */
  async post(path: string, body: string): Promise<RawAnswer> {
    const connection = this.#takeIdle() ?? this.#open();
    const length = Buffer.byteLength(body);
    const answer = await connection.send(
      `POST ${path} HTTP/1.1\r\nHost: ${this.#host}:${this.#port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
    if (connection.isOpen) this.#idle.push(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  /** Returns an idle connection that the service has not closed meanwhile. */
  #takeIdle(): Connection | undefined {
    let connection = this.#idle.pop();
    while (connection && !connection.isOpen) connection = this.#idle.pop();
    return connection;
  }

  #open(): Connection {
    const connection = new Connection(connect(this.#port, this.#host));
    this.#all.add(connection);
    return connection;
  }
}

const headerEnd = '\r\n\r\n';
const lastChunk = '0\r\n\r\n';

/** A connection with one request at a time. */
class Connection {
  readonly #socket: Socket;
  #waiting: Waiting | undefined;
  #received = '';
  isOpen = true;

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (piece) => this.#receive(String(piece)));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the service closed the connection')));
  }

  send(request: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(piece: string): void {
    this.#received += piece;
    const end = this.#received.indexOf(headerEnd);
    if (end < 0) return;
    const head = this.#received.slice(0, end).toLowerCase();
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
    const received = this.#received.length - end - headerEnd.length;
    const isComplete = length === undefined ? this.#received.endsWith(lastChunk) : received >= Number(length);
    if (!isComplete) return;
    const answer = {
      status: Number(head.slice(9, 12)),
      retryAfter: Number(/\r\nretry-after: (\d+)/.exec(head)?.[1] ?? 0),
    };
    this.#received = '';
    if (head.includes('\r\nconnection: close')) this.isOpen = false;
    this.#waiting?.resolve(answer);
    this.#waiting = undefined;
  }

  #fail(error: Error): void {
    this.isOpen = false;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
