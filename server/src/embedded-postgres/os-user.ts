import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { EmbeddedPostgresError, ignoreMissing } from './errors.ts';

/** The operating system user that runs PostgreSQL and owns its files. */
export interface OsUser {
  readonly uid: number;
  readonly gid: number;
  /** The names of the users that may connect: this user, if it has a name, and root. */
  readonly admitted: readonly string[];
  /** The options of `spawn` that switch to this user; empty if the process already runs as this user. */
  readonly identity: { uid?: number; gid?: number };
}

interface Account {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Returns the current user; for root, as which PostgreSQL refuses to run, the owner of an existing cluster, or the
 * first of the users postgres, _postgres and nobody that the system has.
 */
export async function chooseOsUser(cluster: string): Promise<OsUser> {
  const uid = process.getuid?.() ?? 0;
  const existing = await stat(cluster).catch(ignoreMissing);
  if (uid !== 0) return self(uid, cluster, existing);

  const accounts = await readAccounts();
  const root = accounts.find((account) => account.uid === 0)?.name ?? 'root';
  if (existing !== undefined && existing.uid !== 0) {
    const name = accounts.find((account) => account.uid === existing.uid)?.name;
    return unprivileged(existing, name === undefined ? [root] : [name, root]);
  }
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account !== undefined && account.uid !== 0) return unprivileged(account, [name, root]);
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL cannot run as root, and this system has no user "postgres" or "nobody"',
    {
      code: 'postgres_user_missing',
      advice: 'start the service as another user, or set ANAGRAFE_DATABASE_URL to a PostgreSQL server.',
    },
  );
}

/** Returns the first parent of `path`, from the root, that the owner may not traverse; undefined if there is none. */
export async function closedParent(path: string, owner: OsUser): Promise<string | undefined> {
  for (const parent of parents(path)) {
    if (!mayEnter(await stat(parent), owner)) return parent;
  }
  return undefined;
}

export function mayEnter(folder: Stats, { uid, gid }: { uid: number; gid: number }): boolean {
  if (folder.uid === uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}

function self(uid: number, cluster: string, existing: Stats | undefined): OsUser {
  if (existing !== undefined && existing.uid !== uid) {
    throw new EmbeddedPostgresError(`${cluster} is owned by another user (uid ${existing.uid})`, {
      code: 'cluster_owned_by_other',
      advice: 'start the service as that user or as root, or set ANAGRAFE_DATA to another folder.',
    });
  }
  try {
    const { username, gid } = userInfo();
    return { uid, gid, admitted: [username, 'root'], identity: {} };
  } catch (cause) {
    throw new EmbeddedPostgresError(`PostgreSQL needs a user name, but this system has none for uid ${uid}`, {
      code: 'user_without_name',
      advice: 'add the user to /etc/passwd, or set ANAGRAFE_DATABASE_URL to a PostgreSQL server.',
      cause,
    });
  }
}

function unprivileged({ uid, gid }: { uid: number; gid: number }, admitted: string[]): OsUser {
  // `spawn` expects signed 32-bit IDs, the file system unsigned ones; macOS has a user with the ID -2.
  return { uid, gid, admitted, identity: { uid: uid | 0, gid: gid | 0 } };
}

async function readAccounts(): Promise<Account[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (!name || name.startsWith('#') || uid === undefined || gid === undefined) return [];
    return [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }];
  });
}

function parents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...parents(parent), parent];
}
