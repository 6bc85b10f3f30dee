import type { EmbeddedPostgresState } from '../../embedded-postgres/embedded-postgres.ts';
import { commandLine } from '../../lib/operator-error.ts';
import { prefix } from '../../settings/config.ts';
import { letOthersCall } from '../output/banner.ts';
import { grouped, inUnits } from '../output/format.ts';
import { error, type Kind, ok, type Text, toFunction, warning } from './finding-kinds.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

const otherFolder = `or set ${prefix}DATA to another folder.`;

const freeSpace = ({ freeBytes }: { freeBytes: number }) =>
  freeBytes >= gibibyte
    ? `${(freeBytes / gibibyte).toFixed(1)} GiB free`
    : `${Math.floor(freeBytes / mebibyte)} MiB free`;
const freeSomeSpace = `Free some space, or set ${prefix}DATA to a folder on a larger disk.`;

const server = ({ version, milliseconds }: { version: string; milliseconds: number }) =>
  `PostgreSQL ${version}, responds in ${milliseconds.toFixed(1)} ms`;

const clocksApart = ({ seconds }: { seconds: number }) =>
  `The clocks of this machine and of the database differ by ${seconds.toFixed(0)} seconds`;
const synchronize = 'Synchronise both machines with NTP.';

type EmbeddedPostgres = Omit<EmbeddedPostgresState, 'ready' | 'cluster' | 'pid'> & {
  readonly programsReady: boolean;
};
const embedded =
  <Fields extends EmbeddedPostgres>(state: Text<Fields>) =>
  (fields: Fields) => {
    const programs = fields.programsReady ? '' : '; its programs are set up at the first start';
    const libraries =
      fields.bundled.length > 0 ? ` with ${fields.bundled.join(' and ')}, which no network reaches` : '';
    const source =
      fields.programs === null
        ? `package ${fields.version}${libraries}`
        : `${fields.version} in ${fields.programs}`;
    return `Embedded version ${fields.major} (${source}), runs as user ${fields.owner}; ${toFunction(state)(fields)}${programs}`;
  };

const newestBackup = ({ folder, takenAt }: { folder: string; takenAt: string | null }) =>
  takenAt === null ? `There is none in ${folder}` : `The newest one in ${folder} is of ${takenAt}`;

interface RunningService {
  readonly version: string;
  readonly url: string;
}
const answers = ({ version, url }: RunningService) => `Anagrafe ${version} is running on ${url}`;

const memory = ({ availableBytes, neededBytes }: { availableBytes: number; neededBytes: number }) =>
  `${grouped(Math.floor(availableBytes / mebibyte))} MiB available, about ${grouped(Math.ceil(neededBytes / mebibyte))} MiB needed`;

interface Threads {
  readonly threads: number;
  readonly cores: number;
}
const concurrentHashes = ({ threads, cores }: Threads) => `${threads} concurrent hashes, ${cores} cores`;

const hashedUsers = 10_000;
/** `measured` is false if the rate was estimated from a cheaper hash. */
const hashRate = ({ perSecond, measured }: { perSecond: number; measured: boolean }) => {
  const rate = perSecond < 10 ? perSecond.toPrecision(2) : perSecond.toFixed(0);
  const estimate = measured ? '' : ' (estimated)';
  return `${rate} hashes per second${estimate}; ${grouped(hashedUsers)} users take ${inUnits(hashedUsers / perSecond)}`;
};

const createClient = `Create an API client: ${commandLine('client create --name erp')}`;

/** Every finding of a check by its code, with its severity and texts. Problems that are thrown have codes of their own. */
export const catalog = {
  node_supported: ok('Node.js', ({ version }: { version: string }) => version),
  node_too_old: error(
    'Node.js',
    ({ version, minimum }: { version: string; minimum: string; recommended: number }) =>
      `${version} is too old; ${minimum} or newer is required`,
    ({ recommended }) => `Install Node.js ${recommended} from https://nodejs.org.`,
  ),
  settings_valid: ok('settings', ({ names, path }: { names: readonly string[]; path: string | null }) => {
    const found = names.length === 0 ? 'All defaults' : `Valid: ${names.join(', ')}`;
    return path === null ? found : `${found} (settings file ${path})`;
  }),
  settings_file_exposed: warning(
    'settings',
    ({ path, names }: { path: string; names: readonly string[] }) =>
      `Other users of this machine can read or change ${path}, which contains ${names.join(', ')}`,
    ({ path }) => `Run: chmod 600 ${path}`,
  ),
  open_files_unlimited: ok('open files', 'Unlimited'),
  open_files_sufficient: ok('open files', ({ limit }: { limit: number }) => `Limit ${limit}`),
  open_files_low: warning(
    'open files',
    ({ limit, callers }: { limit: number; callers: number }) =>
      `Limit ${limit}, enough for about ${callers} concurrent connections`,
    'Raise the limit: "ulimit -n 65536" before the start, or LimitNOFILE=65536 in the systemd unit.',
  ),
  data_folder_ready: ok(
    'data folder',
    ({ path, uid }: { path: string; uid: number }) => `${path}, owned by uid ${uid}`,
  ),
  data_folder_new: ok('data folder', ({ path }: { path: string }) => `${path}, created at the first start`),
  data_folder_not_a_folder: error(
    'data folder',
    ({ path }: { path: string }) => `${path} is not a folder`,
    `Move the file, ${otherFolder}`,
  ),
  data_folder_not_writable: error(
    'data folder',
    ({ path, uid }: { path: string; uid: number | null }) =>
      `The current user (uid ${uid}) cannot write to ${path}`,
    `Change the owner of the folder, ${otherFolder}`,
  ),
  disk_space_sufficient: ok('disk space', freeSpace),
  disk_space_low: warning('disk space', freeSpace, freeSomeSpace),
  disk_space_critical: error('disk space', freeSpace, freeSomeSpace),
  backup_recent: ok('backup', newestBackup),
  backup_overdue: warning('backup', newestBackup, 'Look for "backup" in the log of the service.'),
  backup_log_gap: warning(
    'backup',
    ({ missing, ...fields }: Parameters<typeof newestBackup>[0] & { missing: string }) =>
      `${newestBackup(fields)}; the log after it lacks ${missing}, so that no time from there on can be restored`,
    'A running service takes a new backup within a minute. If it is running, look for "backup" in its log.',
  ),
  backup_not_scheduled: ok(
    'backup',
    'None is scheduled: set ANAGRAFE_BACKUP_FOLDER, or run "anagrafe backup" regularly',
  ),
  embedded_postgres_new: ok(
    'PostgreSQL',
    embedded<EmbeddedPostgres>('its database is created at the first start'),
  ),
  embedded_postgres_running: ok(
    'PostgreSQL',
    embedded(({ pid }: EmbeddedPostgres & { pid: number | null }) => `running (process ${pid})`),
  ),
  embedded_postgres_stopped: ok('PostgreSQL', embedded<EmbeddedPostgres>('not running')),
  embedded_postgres_crashed: warning(
    'PostgreSQL',
    embedded<EmbeddedPostgres>('not shut down cleanly'),
    'Start the service to recover the database, then run doctor again.',
  ),
  database_ready: ok('database', server),
  database_slow: warning(
    'database',
    server,
    'Each record needs several round trips. Run the service closer to the database.',
  ),
  database_read_only: error(
    'database',
    (fields: Parameters<typeof server>[0]) => `${server(fields)}; read-only`,
    'Connect to the primary, or set default_transaction_read_only to off for the role.',
  ),
  clocks_equal: ok('clock', 'This machine and the database have the same time'),
  clocks_differ: warning('clock', clocksApart, synchronize),
  clocks_too_different: error('clock', clocksApart, synchronize),
  schema_current: ok('schema', 'Up to date'),
  schema_outdated: warning(
    'schema',
    ({ missing, newest }: { missing: number; newest: string }) =>
      `Pending migrations: ${missing}, up to ${newest}`,
    `Start the service, or run: ${commandLine('migrate')}`,
  ),
  schema_not_permitted: error(
    'schema',
    ({ role }: { role: string; database: string }) => `The role ${role} may not create the schema`,
    ({ role, database }) => `Run in the database: GRANT CREATE ON DATABASE ${database} TO ${role};`,
  ),
  master_key_new: ok('master key', 'Created at the first start'),
  master_key_unused: ok('master key', 'Found, not used yet'),
  master_key_valid: ok('master key', 'Matches the database'),
  master_key_rotating: warning(
    'master key',
    ({ key }: { key: string }) => `Stored values may still be encrypted with the former key ${key}`,
    'Keep the key. A running service encrypts them again within a minute',
  ),
  master_key_not_rotated: warning(
    'master key',
    ({ key }: { key: string }) => `The key ${key} of the settings is not in use`,
    `When every node has it, run: ${commandLine('key rotate')}`,
  ),
  client_required: ok('access', 'Calls need an API client'),
  first_client_configured: ok(
    'access',
    `The API client of ${prefix}FIRST_CLIENT is created at the next start`,
  ),
  protected_mode: warning(
    'access',
    'Protected mode: there is no API client, so programs of the user that runs the service can call without a credential',
    createClient,
  ),
  protected_mode_exposed: error(
    'access',
    ({ host }: { host: string }) =>
      `There is no API client and ${prefix}HOST is ${host}, so the service does not start`,
    createClient,
  ),
  retention_current: ok('retention', 'No rows are overdue'),
  retention_overdue: warning(
    'retention',
    ({ rows }: { rows: Readonly<Record<string, number>> }) => {
      const kinds = Object.entries(rows).map(([kind, count]) => `${kind} ${grouped(count)}`);
      return `Rows that should have been removed still exist (counted up to 10,000): ${kinds.join(', ')}`;
    },
    'The running service removes them at 17 minutes past each hour. If it is running, look for "could not remove rows" in its log.',
  ),
  hash_chain_current: ok('audit log', 'All rows have their hash'),
  hash_chain_behind: warning(
    'audit log',
    ({ rows }: { rows: number }) =>
      `Rows without a hash for more than a minute (counted up to 10,000): ${grouped(rows)}`,
    'The running service adds it within a second. If it is running, look for the task "hash_chain" in its log.',
  ),
  port_chosen_at_start: ok('port', 'A free port is chosen at the start'),
  port_free: ok(
    'port',
    ({ host, port }: { host: string; port: number }) =>
      `${port} on ${host} is free; the service is not running`,
  ),
  port_used_by_other: error(
    'port',
    ({ url }: { url: string }) => `Another program is listening on ${url}`,
    `Stop that program, or set ${prefix}PORT to another port.`,
  ),
  host_not_resolved: error(
    'port',
    ({ host }: { host: string }) => `${host} does not resolve to an address`,
    `Set ${prefix}HOST to an IP address or another host name.`,
  ),
  service_ready: ok('port', (fields: RunningService) => `${answers(fields)} and ready`),
  service_not_ready: error(
    'port',
    ({ reason, ...fields }: RunningService & { reason: string | null }) =>
      `${answers(fields)}, but not ready: ${reason ?? 'unknown reason'}`,
    'Check the log of the service.',
  ),
  service_version_differs: warning(
    'port',
    ({ ownVersion, ...fields }: RunningService & { ownVersion: string }) =>
      `${answers(fields)}; the version of this command is ${ownVersion}`,
    'Restart the service to run the same version.',
  ),
  network_local: ok('network', ({ host }: { host: string }) => `${host}: reachable only from this machine`),
  network_local_only: ok(
    'network',
    ({ host }: { host: string }) => `${host}: reachable only from this machine. ${letOthersCall}`,
  ),
  network_behind_proxy: ok(
    'network',
    ({ host, proxies }: { host: string; proxies: readonly string[] }) =>
      `${host}, behind the reverse proxy at ${proxies.join(', ')}`,
  ),
  network_unencrypted: warning(
    'network',
    ({ host }: { host: string }) => `${host}: reachable from other machines without encryption`,
    `Put a reverse proxy with TLS in front of the service, and set ${prefix}TRUST_PROXY to its address.`,
  ),
  memory_sufficient: ok('memory', memory),
  memory_insufficient: error(
    'memory',
    memory,
    `Lower ${prefix}HASH_CONCURRENCY or ${prefix}HASH_MEMORY_KIB, or add memory.`,
  ),
  processors_sufficient: ok('processors', concurrentHashes),
  processors_overcommitted: warning(
    'processors',
    (fields: Threads) => `${concurrentHashes(fields)}: more hashes than cores are slower`,
    ({ cores }) => `Set ${prefix}HASH_CONCURRENCY to ${cores}, or unset it.`,
  ),
  mail_ready: ok('mail', ({ server }: { server: string }) => `${server} accepts the service`),
  mail_unavailable: error(
    'mail',
    ({ server, answer }: { server: string; answer: string }) => `${server} cannot be used: ${answer}`,
    `Check ${prefix}SMTP_URL.`,
  ),
  mail_without_links: warning(
    'mail',
    'mails have a code, but no link',
    `Set ${prefix}PUBLIC_URL to the URL at which users reach the service.`,
  ),
  hashing_fast: ok('hashing', hashRate),
  hashing_slow: warning(
    'hashing',
    hashRate,
    `Lower ${prefix}HASH_MEMORY_KIB and ${prefix}HASH_PASSES, add cores, or reduce other load.`,
  ),
};

export type FindingCode = keyof typeof catalog;
export type FieldsOf<Code extends FindingCode> =
  (typeof catalog)[Code] extends Kind<infer Fields> ? Fields : never;
