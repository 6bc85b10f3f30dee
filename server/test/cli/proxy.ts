import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server that forwards each request to the service after `before` has ended, and returns its URL. */
export async function proxyOf(
  url: string,
  before: (request: IncomingMessage) => Promise<void>,
): Promise<string> {
  const proxy = createServer(async (incoming, outgoing) => {
    await before(incoming);
    const { method, headers } = incoming;
    const forwarded = request(new URL(incoming.url ?? '/', url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
