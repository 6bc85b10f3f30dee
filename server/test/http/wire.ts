import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitLimitMs } from '../setup/until.ts';

/** What came back over a bare socket. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface Wire {
  readonly socket: Socket;
  /** All that the other side has said when it closes the connection, or null when it said nothing. */
  answer(): Promise<WireAnswer | null>;
}

/** A bare connection to the service, for what no HTTP client would send. */
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

/** Sends bytes as they are, and reads until the service hangs up. */
export async function sendRaw(url: string, ...parts: (string | Buffer)[]): Promise<WireAnswer | null> {
  const wire = await openWire(url);
  for (const part of parts) wire.socket.write(part);
  return wire.answer();
}

/** The head of a call to be sent raw, ready for its body. */
export function headOf(url: string, path: string, headers: Record<string, string | number>): string {
  const all = { Host: new URL(url).host, 'Content-Type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`POST /api/sync/v1/${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

function readAnswer(said: string): WireAnswer | null {
  if (said === '') return null;
  const border = said.indexOf('\r\n\r\n');
  const [first = '', ...lines] = said.slice(0, border).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, text: said.slice(border + 4) };
}
