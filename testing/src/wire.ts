import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitLimitMs } from './until.ts';

/** An HTTP response read from a raw socket. Header names are in lower case. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface Wire {
  readonly socket: Socket;
  /** Waits until the service closes the connection, and parses all it sent. Null means that it sent nothing. */
  answer(): Promise<WireAnswer | null>;
}

/** Opens a TCP connection to the service, for requests that no HTTP client would send. */
export async function openWire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  const ended = new Promise<void>((resolve, reject) => {
    socket.once('end', resolve);
    socket.once('close', resolve);
    socket.once('error', reject);
    socket.setTimeout(waitLimitMs, () => reject(new Error('the service neither answers nor hangs up')));
  });
  ended.catch(() => {});
  await once(socket, 'connect');
  return {
    socket,
    async answer() {
      await ended.finally(() => socket.destroy());
      return readAnswer(Buffer.concat(pieces).toString());
    },
  };
}

/** Sends bytes unchanged, and reads until the service closes the connection. */
export async function sendRaw(url: string, ...parts: (string | Buffer)[]): Promise<WireAnswer | null> {
  const wire = await openWire(url);
  for (const part of parts) wire.socket.write(part);
  return wire.answer();
}

/** Returns the request line and headers of a POST call, up to and including the empty line before the body. */
export function headOf(url: string, path: string, headers: Record<string, string | number>): string {
  const all = { Host: new URL(url).host, 'Content-Type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`POST /api/sync/v1/${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

function readAnswer(response: string): WireAnswer | null {
  if (response === '') return null;
  const headEnd = response.indexOf('\r\n\r\n');
  const [first = '', ...lines] = response.slice(0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, text: response.slice(headEnd + 4) };
}
