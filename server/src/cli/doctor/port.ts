import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { version } from '../../version.ts';
import { localUrl } from '../connection.ts';
import { type Finding, fail, failure, ok, warn } from './finding.ts';

/** Long enough for a service on a busy machine, which would otherwise be taken for another program. */
const answerMs = 20_000;
const elsewhere = 'Stop it, or set ANAGRAFE_PORT.';

/** Free, or ours already, or someone else's. */
export async function examinePort(config: Config): Promise<Finding> {
  const { HOST, PORT } = config;
  if (PORT === 0) return ok('port', 'the start takes a free one');
  const refused = await tryListening(HOST, PORT);
  if (refused === null) return ok('port', `${PORT} on ${HOST} is free; no service runs there`);
  if (refused.code === 'EADDRINUSE') return whoAnswers(localUrl(config));
  if (refused.syscall === 'getaddrinfo')
    return fail('port', `${HOST} is a name that has no address`, 'Set ANAGRAFE_HOST.');
  return failure('port', refused, 'Set ANAGRAFE_HOST and ANAGRAFE_PORT.');
}

async function tryListening(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    server.close();
  }
}

async function whoAnswers(url: string): Promise<Finding> {
  const document = await ask<{ info?: { title?: string; version?: string } }>(`${url}/openapi.json`);
  if (document?.info?.title !== 'Anagrafe') return fail('port', `another program has ${url}`, elsewhere);
  const health = await ask<{ status?: string; reason?: string }>(`${url}/health/ready`);
  const found = `Anagrafe ${document.info.version} answers on ${url}`;
  if (health?.status !== 'ready')
    return fail(
      'port',
      `${found} and is not ready: ${health?.reason ?? 'it does not say why'}`,
      'Look into its log.',
    );
  if (document.info.version === version) return ok('port', `${found} and is ready`);
  return warn(
    'port',
    `${found}; this command is of ${version}`,
    'Restart the service to have both of one version.',
  );
}

/** What is told there as JSON; null where nothing is, or nothing of that kind. */
async function ask<Told>(url: string): Promise<Told | null> {
  try {
    return (await (await fetch(url, { signal: AbortSignal.timeout(answerMs) })).json()) as Told;
  } catch {
    return null;
  }
}
