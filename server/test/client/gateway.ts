import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What came to the gateway. */
export interface Seen {
  /** When, in milliseconds. */
  readonly at: number;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * What befalls a request on its way: `nothing`; it is `lost` before it comes to the service, its answer is `lost answer`
 * after the service has done it, or `held answer` and never comes, nobody answers at all, or somebody in between does.
 */
export type Mishap =
  | 'nothing'
  | 'lost'
  | 'lost answer'
  | 'held answer'
  | 'silence'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface Gateway {
  readonly url: string;
  readonly seen: Seen[];
  /** What befalls the next requests, in this order; those after them get through. */
  mishaps: Mishap[];
}

/** Stands between a client and a service. */
export async function startGateway(serviceUrl: string): Promise<Gateway> {
  const gateway: Gateway = { url: '', seen: [], mishaps: [] };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method, url: path, headers } = request;
    gateway.seen.push({ at: Date.now(), method, path, headers, body });
    const mishap = gateway.mishaps.shift();
    if (mishap === 'silence') return;
    if (mishap === 'lost') return request.socket.destroy();
    if (typeof mishap === 'object') return response.writeHead(mishap.status, mishap.headers).end(mishap.body);
    const answer = await pass(request, body, serviceUrl);
    if (mishap === 'lost answer') return request.socket.destroy();
    if (mishap === 'held answer') return;
    return answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(gateway, { url: `http://127.0.0.1:${port}` });
}

const ofTheConnection = /^(host|connection|content-length|transfer-encoding|keep-alive)$/;

async function pass({ method = '', url = '', headers }: IncomingMessage, body: string, serviceUrl: string) {
  const sent = Object.entries(headers).filter(([name]) => !ofTheConnection.test(name)) as [string, string][];
  const answer = await fetch(serviceUrl + url, { method, headers: sent, ...(body !== '' && { body }) });
  const answered = await answer.text();
  const shown = [...answer.headers].filter(([name]) => !ofTheConnection.test(name));
  return (response: ServerResponse) => {
    response.writeHead(answer.status, Object.fromEntries(shown)).end(answered);
  };
}
