// The driver `pg` throws, or never returns, when it reads a malformed message.

import type { Duplex } from 'node:stream';
import pg from 'pg';

type Listener = (bytes: Buffer) => void;

/** The parts of a connection of `pg` that its types leave out. */
interface DriverConnection {
  readonly stream: Duplex;
  /** Adds the parser to the stream. */
  attachListeners(stream: { on(event: string, listener: Listener): unknown }): void;
}

/** A client whose connection is closed when the server sends a malformed message, also while it connects. */
export class Client extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: DriverConnection };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) =>
      attach({ on: (...listener) => guard(stream as Duplex, ...listener) });
  }
}

/** Closes the connection without waiting for answers, and without sending what is left to send. */
export function closeAtOnce(client: pg.ClientBase): void {
  (client as unknown as { connection: DriverConnection }).connection.stream.destroy();
}

/** Sends the statements of `work` in one write: one system call, one wake-up of the server. */
export function sendTogether<Result>(client: pg.ClientBase, work: () => Result): Result {
  const { stream } = (client as unknown as { connection: DriverConnection }).connection;
  stream.cork();
  try {
    return work();
  } finally {
    stream.uncork();
  }
}

function guard(stream: Duplex, event: string, listener: Listener): void {
  const messages = new MessageReader();
  stream.on(event, (bytes: Buffer) => {
    try {
      if (event === 'data') messages.read(bytes);
      listener(bytes);
    } catch (error) {
      stream.destroy(error as Error);
    }
  });
}

const messageTypes = new Set(Buffer.from('123ACDEGHIKNRSTWZcdnst'));
/** The types of ErrorResponse and NoticeResponse. */
const textTypes = new Set(Buffer.from('EN'));
/** PostgreSQL sends no longer message. */
const maxBytes = 2 ** 30;

/** Reads the boundaries of the messages, and throws at a message that the parser of `pg` must not read. */
class MessageReader {
  readonly #header = Buffer.alloc(5);
  #headerBytes = 0;
  /** Bytes of the message that are still to come. */
  #left = 0;
  /** The last two bytes of the message so far. */
  #last = 0;

  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) this.#readHeader(bytes[at++] as number);
      else {
        const end = at + Math.min(this.#left, bytes.length - at);
        for (const byte of bytes.subarray(Math.max(at, end - 2), end))
          this.#last = ((this.#last << 8) | byte) & 0xffff;
        this.#left -= end - at;
        at = end;
        // The parser of `pg` would search for the end of the fields for ever.
        if (this.#left === 0 && textTypes.has(this.#header[0] as number) && this.#last !== 0)
          throw malformed();
      }
    }
  }

  #readHeader(byte: number): void {
    this.#header[this.#headerBytes++] = byte;
    if (this.#headerBytes < this.#header.length) return;
    this.#headerBytes = 0;
    this.#left = this.#header.readUInt32BE(1) - 4;
    this.#last = 0xffff;
    const type = this.#header[0] as number;
    const least = textTypes.has(type) ? 2 : 0;
    if (!messageTypes.has(type) || this.#left < least || this.#left > maxBytes) throw malformed();
  }
}

function malformed(): Error {
  return new Error('the server sent a message that is not part of the PostgreSQL protocol');
}
