import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers; 204 unless it is told otherwise. */
  answer: (message: Received) => number | { status: number; headers: Record<string, string> };
}

const open = new Set<ReturnType<typeof createServer>>();
afterAll(() => {
  for (const server of open) {
    server.closeAllConnections();
    server.close();
  }
});

/** Somebody who is told of events. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], answer: () => 204 };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const message = { headers: request.headers, body };
      receiver.received.push(message);
      const answer = receiver.answer(message);
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, answer.headers).end();
    });
  });
  open.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}/hook` });
}
