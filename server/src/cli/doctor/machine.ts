import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, type ConfigError, prefix } from '../../config.ts';
import { isLoopback } from '../../lib/network.ts';
import { version } from '../../lib/package-folder.ts';
import { localUrl } from '../connection.ts';
import { type Finding, fail, failure, ok, warn } from './findings.ts';

/** The minimum in `engines` of package.json: major and minor version. */
const oldestNode = [20, 18] as const;
const advisedNode = 24;

export function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldest, least] = oldestNode;
  const found = process.versions.node;
  if (major > oldest || (major === oldest && minor >= least)) return ok('Node.js', found);
  return fail(
    'Node.js',
    `${found}; ${oldest}.${least} or newer is needed`,
    `Install Node.js ${advisedNode}.`,
  );
}

/** File descriptors that the process uses apart from connections: files, threads, the log. */
const filesOfTheProcess = 64;
const callersAtOnce = 1000;

/** Checks the limit of open files. Every client connection and every database connection uses a file descriptor. */
export function openFiles({ DATABASE_CONNECTIONS }: Config): Finding {
  const { userLimits } = process.report.getReport() as unknown as {
    userLimits: { open_files: { soft: number | 'unlimited' } };
  };
  const { soft } = userLimits.open_files;
  return filesFinding(soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft, DATABASE_CONNECTIONS);
}

export function filesFinding(limit: number, connections: number): Finding {
  const callers = limit - connections - filesOfTheProcess;
  if (callers === Number.POSITIVE_INFINITY) return ok('open files', 'without a limit');
  if (callers >= callersAtOnce) return ok('open files', `up to ${limit}`);
  return warn(
    'open files',
    `up to ${limit}, enough for about ${Math.max(0, callers)} callers at once`,
    'Raise it for the user of the service: "ulimit -n 65536", or LimitNOFILE= of its unit.',
  );
}

/** Long enough for Anagrafe on a busy machine, which would otherwise be reported as another program. */
const answerMs = 20_000;
const portAdvice = 'Stop it, or set ANAGRAFE_PORT.';

/** Checks that the port is free or that Anagrafe itself uses it. */
export async function examinePort(config: Config): Promise<Finding> {
  const { HOST, PORT } = config;
  if (PORT === 0) return ok('port', 'the start takes a free one');
  const refused = await tryListening(HOST, PORT);
  if (refused === null) return ok('port', `${PORT} on ${HOST} is free; no service runs there`);
  if (refused.code === 'EADDRINUSE') return examineListener(localUrl(config));
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

async function examineListener(url: string): Promise<Finding> {
  const document = await fetchJson<{ info?: { title?: string; version?: string } }>(`${url}/openapi.json`);
  if (document?.info?.title !== 'Anagrafe') return fail('port', `another program has ${url}`, portAdvice);
  const health = await fetchJson<{ status?: string; reason?: string }>(`${url}/health/ready`);
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

/** Returns the JSON body of a response; null if there is no response or it is not JSON. */
async function fetchJson<Body>(url: string): Promise<Body | null> {
  try {
    return (await (await fetch(url, { signal: AbortSignal.timeout(answerMs) })).json()) as Body;
  } catch {
    return null;
  }
}

export function isOpenToOthers({ HOST }: Config): boolean {
  return HOST !== 'localhost' && !isLoopback(HOST);
}

/** Checks that a reverse proxy terminates TLS if other machines can call: the service itself serves plain HTTP. */
export function examineExposure(config: Config): Finding {
  if (!isOpenToOthers(config)) return ok('network', `${config.HOST}: only this machine can call`);
  if (config.TRUST_PROXY.length > 0)
    return ok('network', `${config.HOST}, behind the reverse proxy at ${config.TRUST_PROXY.join(', ')}`);
  return warn(
    'network',
    `${config.HOST}: other machines can call, and passwords go to it unencrypted`,
    `Put a reverse proxy with TLS in front, and name its address in ${prefix}TRUST_PROXY.`,
  );
}

/** Returns one finding for each invalid setting, or one `ok` if all are valid. */
export function settingFindings(
  environment: NodeJS.ProcessEnv,
  faults: ReadonlyMap<string, ConfigError>,
): Finding[] {
  if (faults.size === 0) {
    const given = Object.keys(environment).filter((name) => name.startsWith(prefix));
    return [ok('settings', given.length === 0 ? 'none is given' : `understood: ${given.join(', ')}`)];
  }
  return [...faults.values()].map(({ message }) => {
    const [found = message, todo = ''] = message.split('; ');
    return fail('settings', found, todo);
  });
}
