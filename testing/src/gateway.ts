import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request that the gateway received. */
export interface Seen {
  /** The time of arrival, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * The failure that the gateway simulates for a request. `lost` closes the connection before the service receives the
 * request, `lost answer` closes it after the service has answered, `held answer` never forwards the answer, and
 * `silence` neither forwards the request nor answers. An object with `until` forwards the answer when the promise is
 * fulfilled; any other object is an answer of the gateway instead of the service.
 */
export type NetworkFault =
  | 'nothing'
  | 'lost'
  | 'lost answer'
  | 'held answer'
  | 'silence'
  | { readonly until: Promise<unknown> }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface Gateway {
  readonly url: string;
  readonly seen: Seen[];
  /** The failures of the next requests, in this order. Later requests are forwarded without failure. */
  networkFaults: NetworkFault[];
}

/** Starts a reverse proxy between a client and a service. It records all requests and simulates failures. */
export async function startGateway(serviceUrl: string): Promise<Gateway> {
  const gateway: Gateway = { url: '', seen: [], networkFaults: [] };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method, url: path, headers } = request;
    gateway.seen.push({ at: Date.now(), method, path, headers, body });
    const fault = gateway.networkFaults.shift();
    if (fault === 'silence') return;
    if (fault === 'lost') return request.socket.destroy();
    if (typeof fault === 'object' && 'status' in fault)
      return response.writeHead(fault.status, fault.headers).end(fault.body);
    const answer = await forward(request, body, serviceUrl);
    if (fault === 'lost answer') return request.socket.destroy();
    if (fault === 'held answer') return;
    if (typeof fault === 'object') await fault.until;
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

const hopByHop = /^(host|connection|content-length|transfer-encoding|keep-alive)$/;

async function forward(
  { method = '', url = '', headers }: IncomingMessage,
  body: string,
  serviceUrl: string,
) {
  const sent = Object.entries(headers).filter(([name]) => !hopByHop.test(name)) as [string, string][];
  const answer = await fetch(serviceUrl + url, { method, headers: sent, ...(body !== '' && { body }) });
  const answered = await answer.text();
  const returned = [...answer.headers].filter(([name]) => !hopByHop.test(name));
  return (response: ServerResponse) => {
    response.writeHead(answer.status, Object.fromEntries(returned)).end(answered);
  };
}
