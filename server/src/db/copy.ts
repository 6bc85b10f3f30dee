// The COPY protocol of PostgreSQL, which `pg` supports only in part: large values are sent and received piece by piece.

import pg from 'pg';
import { answerTo } from './client.ts';

/** The methods of a connection of `pg` that its types leave out. */
interface CopyConnection extends pg.Connection {
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** Bytes of known length that are produced in pieces. A piece may be overwritten when the next one is requested. */
export interface ByteStream {
  readonly bytes: number;
  readonly pieces: AsyncIterable<Buffer>;
}

/**
 * Runs a statement `copy ... from stdin` and sends the bytes piece by piece: the parameters of other statements are
 * copied into one message, which takes a multiple of the memory.
 */
export async function copyIn(
  client: pg.ClientBase,
  sql: string,
  pieces: AsyncIterable<Buffer>,
  answerMs: number,
): Promise<void> {
  const copy = new CopyIn(sql, pieces);
  await answerTo(copy.run(client), answerMs).catch((error) => {
    throw copy.failure ?? error;
  });
}

/** A query object of `pg`, whose messages the client passes on. */
class Copy extends pg.Query {
  run(client: pg.ClientBase): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const callback = (error: unknown, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
      client.query(Object.assign(this, { callback }));
    });
  }
}

class CopyIn extends Copy {
  readonly #pieces: AsyncIterable<Buffer>;
  /** The error with which the pieces could not be produced. */
  failure: unknown;

  constructor(sql: string, pieces: AsyncIterable<Buffer>) {
    super(sql);
    this.#pieces = pieces;
  }

  /** Called by the client when the server is ready to receive. */
  handleCopyInResponse(connection: CopyConnection): void {
    this.#send(connection).catch((error) => {
      this.failure = error;
      // The server answers with an error, which ends the query.
      connection.sendCopyFail('the data could not be produced');
    });
  }

  async #send(connection: CopyConnection): Promise<void> {
    const { stream } = connection;
    for await (const piece of this.#pieces) {
      // The client itself reports a connection that is lost.
      if (!stream.writable) return;
      await written(stream, copyDataHead(piece.length), piece);
    }
    connection.endCopyFrom();
  }
}

/** Resolves when the stream no longer needs the bytes, also if it has failed. */
function written(stream: pg.Connection['stream'], head: Buffer, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    stream.cork();
    stream.write(head);
    stream.write(bytes, () => resolve());
    stream.uncork();
  });
}

/** Returns the type and length of the message `CopyData`. */
function copyDataHead(bytes: number): Buffer {
  const head = Buffer.alloc(5, 'd');
  head.writeInt32BE(bytes + 4, 1);
  return head;
}

/**
 * Runs a statement `copy ... to stdout` and passes each message of the server, which contains one row, to `onRow`. The
 * bytes are valid until it returns. Unlike the results of other statements, they are not converted to texts.
 */
export async function copyOut(
  client: pg.ClientBase,
  sql: string,
  onRow: (message: Buffer) => void,
  answerMs: number,
): Promise<void> {
  await answerTo(new CopyOut(sql, onRow).run(client), answerMs);
}

class CopyOut extends Copy {
  readonly #onRow: (message: Buffer) => void;

  constructor(sql: string, onRow: (message: Buffer) => void) {
    super(sql);
    this.#onRow = onRow;
  }

  /** Called by the client for each message. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#onRow(chunk);
  }
}

/** Returns the fields of a row in the binary format, of which none may be null; an empty list after the last row. */
export function fieldsOfRow(message: Buffer): Buffer[] {
  // The first row follows the header in the same message.
  let at = message.subarray(0, signature.length).equals(signature) ? signature.length + noOptions.length : 0;
  const fields: Buffer[] = [];
  const count = message.readInt16BE(at);
  at += 2;
  while (fields.length < count) {
    const start = at + 4;
    at = start + message.readInt32BE(at);
    fields.push(message.subarray(start, at));
  }
  return fields;
}

const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** Flags and the length of the header extension, both 0. */
const noOptions = Buffer.alloc(8);

/** Yields one row for `copy ... (format binary)`. The fields are in the binary format of their types. */
export async function* binaryRow(fields: readonly (Buffer | ByteStream)[]): AsyncGenerator<Buffer> {
  yield Buffer.concat([signature, noOptions, int16(fields.length)]);
  for (const field of fields) {
    yield int32(Buffer.isBuffer(field) ? field.length : field.bytes);
    if (Buffer.isBuffer(field)) yield field;
    else yield* field.pieces;
  }
  yield int16(-1);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

/** Encodes an `integer`. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const int4Oid: number = pg.types.builtins.INT4;

/** Encodes an `integer[]`. */
export function int32Array(values: readonly number[]): Buffer {
  const dimensions = [1, 0, int4Oid, values.length, 1];
  return Buffer.concat([...dimensions.map(int32), ...values.flatMap((value) => [int32(4), int32(value)])]);
}

/** Quotes a text for a statement `copy`, which takes no parameters. */
export const quoted = pg.escapeLiteral;

/** Encodes a `uuid`. */
export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
