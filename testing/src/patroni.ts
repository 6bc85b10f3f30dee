import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseOsUser } from '../../server/src/embedded-postgres/os-user.ts';
import { dataParent } from './data-parent.ts';
import { afterTest } from './endings.ts';
import { freePort } from './postgres-cluster.ts';
import { until } from './until.ts';

const programs = { patroni: 'patroni', etcd: 'etcd', haproxy: '/usr/sbin/haproxy' };
const names = ['one', 'two'] as const;

/** One PostgreSQL with the Patroni that runs it. */
interface Member {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly apiPort: number;
  patroni: ChildProcess | null;
}

export interface PatroniCluster {
  /** HAProxy, which connects to the primary. */
  readonly url: string;
  /** Kills the PostgreSQL of the primary, or its Patroni as well, so that the other one becomes the primary. */
  killPrimary(killed: 'postgres' | 'machine'): Promise<void>;
  /** Waits until both members run and the standby confirms each write. */
  untilSynchronous(): Promise<void>;
}

/**
 * Starts two members that replicate synchronously, an etcd for their lock and an HAProxy, with the settings that
 * docs/operations/database.md recommends.
 */
export async function startPatroni(): Promise<PatroniCluster> {
  requirePrograms();
  const folder = mkdtempSync(join(dataParent(), 'anagrafe-patroni-'));
  const user = await chooseOsUser(folder);
  chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  const running: ChildProcess[] = [];
  const start: Start = (program, args) => {
    const child = spawn(program, args, { cwd: folder, stdio: 'ignore', ...user.identity });
    running.push(child);
    return child;
  };
  const etcd = await startEtcd(folder, start);
  const members: Member[] = [];
  afterTest(async () => {
    for (const child of running) await end(child);
    for (const { folder } of members) killPostgres(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  for (const name of names) {
    const member = { name, folder: join(folder, name), port: await freePort(), apiPort: await freePort() };
    mkdirSync(member.folder, { mode: 0o700 });
    chownSync(member.folder, user.uid, user.gid);
    writeFileSync(join(member.folder, 'patroni.yml'), JSON.stringify(settingsOf(member, etcd)));
    members.push({ ...member, patroni: null });
  }
  const run = (member: Member) => {
    member.patroni = start(programs.patroni, [join(member.folder, 'patroni.yml')]);
  };
  for (const member of members) run(member);

  const isIn = async ({ apiPort }: Member, role: 'primary' | 'synchronous') =>
    (await fetch(`http://127.0.0.1:${apiPort}/${role}`).catch(() => null))?.status === 200;
  const primary = async () => {
    for (const member of members) if (await isIn(member, 'primary')) return member;
    return undefined;
  };
  const untilSynchronous = () =>
    until(async () =>
      (await Promise.all(members.map((member) => isIn(member, 'synchronous')))).includes(true),
    );
  await untilSynchronous();
  const port = await startHaproxy(folder, members, start);
  return {
    url: `postgres://owner:owner@127.0.0.1:${port}/postgres`,
    untilSynchronous,
    async killPrimary(killed) {
      const member = await primary();
      if (!member?.patroni) throw new Error('there is no primary');
      if (killed === 'machine') {
        member.patroni.kill('SIGKILL');
        await once(member.patroni, 'exit');
      }
      killPostgres(member.folder);
      await until(async () => ![undefined, member].includes(await primary()));
      if (killed === 'machine') run(member);
    },
  };
}

type Start = (program: string, args: readonly string[]) => ChildProcess;

async function startEtcd(folder: string, start: Start): Promise<string> {
  const client = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const options = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    'log-level': 'error',
  };
  start(
    programs.etcd,
    Object.entries(options).map(([name, value]) => `--${name}=${value}`),
  );
  await until(async () => (await fetch(`${client}/health`).catch(() => null))?.ok === true);
  return new URL(client).host;
}

function settingsOf({ name, folder, port, apiPort }: Omit<Member, 'patroni'>, etcd: string) {
  const account = (username: string) => ({ username, password: username });
  return {
    scope: 'anagrafe',
    name,
    etcd3: { host: etcd },
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 6,
        synchronous_mode: true,
        master_start_timeout: 0,
        postgresql: { use_pg_rewind: true },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, 'data'),
      bin_dir: postgresBin(),
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: account('owner'),
        replication: account('replicator'),
        rewind: account('rewinder'),
      },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 md5',
        'host replication all 127.0.0.1/32 md5',
      ],
      parameters: { unix_socket_directories: folder, max_connections: 100 },
    },
  };
}

async function startHaproxy(folder: string, members: readonly Member[], start: Start): Promise<number> {
  const port = await freePort();
  const path = join(folder, 'haproxy.cfg');
  const servers = members.map(
    ({ name, port, apiPort }) => `    server ${name} 127.0.0.1:${port} check port ${apiPort}`,
  );
  writeFileSync(
    path,
    `defaults
    timeout connect 5s
listen anagrafe
    bind 127.0.0.1:${port}
    mode tcp
    timeout client 1h
    timeout server 1h
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  start(programs.haproxy, ['-db', '-f', path]);
  return port;
}

function requirePrograms(): void {
  try {
    execFileSync('which', Object.values(programs), { stdio: 'ignore' });
    postgresBin();
  } catch (cause) {
    throw new Error('failover needs: apt-get install postgresql patroni etcd-server haproxy', { cause });
  }
}

/** The folder with the newest PostgreSQL of Debian. */
function postgresBin(): string {
  return execFileSync('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1'], {
    encoding: 'utf8',
  }).trim();
}

/** Kills the postmaster, which ends all processes of the PostgreSQL. */
function killPostgres(folder: string): void {
  try {
    const [pid] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It does not run.
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
