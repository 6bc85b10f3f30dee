import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { atEnd } from './endings.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer | AsyncIterable<string>;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The largest number of messages that were open at one time: received, and neither answered nor closed. */
  mostOpen: number;
  /** Chooses the answer to a message: a status, a whole answer, or null to leave the request open. 204 by default. */
  answer: (message: Received) => number | Answer | null;
}

/** Starts an HTTP server that receives webhook messages until the test file ends. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], mostOpen: 0, answer: () => 204 };
  let open = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      open += 1;
      receiver.mostOpen = Math.max(receiver.mostOpen, open);
      response.once('close', () => {
        open -= 1;
      });
      const message = { headers: request.headers, body };
      receiver.received.push(message);
      const answer = receiver.answer(message);
      if (answer === null) return;
      const {
        status,
        headers = {},
        body: text = '',
      } = typeof answer === 'number' ? { status: answer } : answer;
      response.writeHead(status, headers);
      if (typeof text === 'string' || Buffer.isBuffer(text)) response.end(text);
      else {
        response.flushHeaders();
        // The service closes the connection once it has read enough; that error is ignored.
        pipeline(Readable.from(text), response, () => undefined);
      }
    });
  });
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}/hook` });
}

/** A response body that never ends; the reader sets its pace. */
export async function* endless(piece: string): AsyncGenerator<string> {
  for (;;) yield piece;
}

/** A response body that sends its beginning and then hangs. */
export async function* stuck(beginning: string): AsyncGenerator<string> {
  yield beginning;
  await new Promise(() => undefined);
}
