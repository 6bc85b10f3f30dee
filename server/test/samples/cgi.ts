import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Outcome } from '@anagrafe/testing/heard';

/** A running receiver of webhooks. `said` returns its output so far. */
export interface Receiving {
  said(): string;
  stop(): Promise<void>;
}

/** Starts a web server that runs a CGI program for each request. */
export function serveCgi(
  port: number,
  program: (environment: Record<string, string>, body: string) => Promise<Outcome>,
): Receiving {
  let output = '';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const environment: Record<string, string> = { CONTENT_LENGTH: String(Buffer.byteLength(body)) };
    for (const [name, value] of Object.entries(request.headers))
      environment[`HTTP_${name.toUpperCase().replaceAll('-', '_')}`] = String(value);
    const { stdout, stderr } = await program(environment, body);
    output += stderr;
    response.writeHead(Number(/^Status: (\d{3}) /.exec(stdout)?.[1])).end();
  }).listen(port, '127.0.0.1');
  return {
    said: () => output,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
