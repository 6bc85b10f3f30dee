import { once } from 'node:events';
import { createServer } from 'node:net';
import { isLoopback } from '../../lib/network.ts';
import { version } from '../../lib/package-folder.ts';
import { type Config, type ConfigError, prefix } from '../../settings/config.ts';
import type { LoadedSettings } from '../../settings/settings-file.ts';
import { localUrl } from '../connection.ts';
import { fetchInTime } from '../fetch-in-time.ts';
import { errorFinding, type Finding, finding, problemFinding } from './findings.ts';

/** The minimum in `engines` of package.json: major and minor version. */
const oldestNode = [20, 18] as const;
const recommendedNode = 24;

export function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  const version = process.versions.node;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return finding('node_supported', { version });
  const minimum = `${oldestMajor}.${oldestMinor}`;
  return finding('node_too_old', { version, minimum, recommended: recommendedNode });
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
  if (callers === Number.POSITIVE_INFINITY) return finding('open_files_unlimited');
  if (callers >= callersAtOnce) return finding('open_files_sufficient', { limit });
  return finding('open_files_low', { limit, callers: Math.max(0, callers) });
}

/** Long enough for Anagrafe on a busy machine, which would otherwise be reported as another program. */
const answerMs = 20_000;

export async function examinePort(config: Config): Promise<Finding> {
  const { HOST, PORT } = config;
  if (PORT === 0) return finding('port_chosen_at_start');
  const refused = await tryListening(HOST, PORT);
  if (refused === null) return finding('port_free', { host: HOST, port: PORT });
  if (refused.code === 'EADDRINUSE') return examineListener(localUrl(config));
  if (refused.syscall === 'getaddrinfo') return finding('host_not_resolved', { host: HOST });
  return errorFinding('port', refused, 'Change ANAGRAFE_HOST or ANAGRAFE_PORT.');
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
  if (document?.info?.title !== 'Anagrafe') return finding('port_used_by_other', { url });
  const health = await fetchJson<{ status?: string; reason?: string }>(`${url}/health/ready`);
  const service = { version: document.info.version ?? 'unknown', url };
  if (health?.status !== 'ready')
    return finding('service_not_ready', { ...service, reason: health?.reason ?? null });
  if (service.version === version) return finding('service_ready', service);
  return finding('service_version_differs', { ...service, ownVersion: version });
}

async function fetchJson<Body>(url: string): Promise<Body | null> {
  try {
    return (await fetchInTime(url, { limitMs: answerMs }, (answer) => answer.json())) as Body;
  } catch {
    return null;
  }
}

export function isOpenToOthers({ HOST }: Config): boolean {
  return HOST !== 'localhost' && !isLoopback(HOST);
}

/**
 * Checks that a reverse proxy terminates TLS if other machines can call: the service itself serves plain HTTP. Without
 * an API client, other machines cannot be let in yet.
 */
export function examineExposure(config: Config, { hasClients }: { hasClients: boolean }): Finding {
  const { HOST: host, TRUST_PROXY: proxies } = config;
  if (proxies.length > 0) return finding('network_behind_proxy', { host, proxies });
  if (isOpenToOthers(config)) return finding('network_unencrypted', { host });
  return finding(hasClients ? 'network_local_only' : 'network_local', { host });
}

export function settingFindings(
  { environment, path }: Pick<LoadedSettings, 'environment' | 'path'>,
  errors: readonly ConfigError[],
): Finding[] {
  if (errors.length > 0) return errors.map((error) => problemFinding('settings', error, ''));
  const names = Object.keys(environment).filter((name) => name.startsWith(prefix));
  return [finding('settings_valid', { names, path })];
}
