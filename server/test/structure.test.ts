import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src/', import.meta.url));
const clientRoot = fileURLToPath(new URL('../../client/src/', import.meta.url));
const consoleRoot = fileURLToPath(new URL('../../console/src/', import.meta.url));
const longest = 300;
const longestPage = 200;

interface Source {
  /** Below `src/`, with slashes: `http/routes/operation.ts`. */
  readonly path: string;
  /** The first folder, or the file's own name where it lies in `src/` itself. */
  readonly room: string;
  readonly text: string;
  /** What it imports of ours, as paths below `src/`, and of others, as package names. */
  readonly ours: readonly string[];
  readonly others: readonly string[];
}

const imported =
  /(?:^\s*(?:import|export)\b[^'";]*?from\s*|^\s*import\s*|\bimport\s*\(\s*)['"]([^'"]+)['"]/gm;

const sources = sourcesBelow(root);

function sourcesBelow(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readSource(join(entry.parentPath, entry.name), folder));
}

function readSource(file: string, folder: string): Source {
  const path = relative(folder, file).split(sep).join('/');
  const text = readFileSync(file, 'utf8');
  const specifiers = [...text.matchAll(imported)].map(([, specifier = '']) => specifier);
  const ours = specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) =>
      relative(folder, join(dirname(file), specifier))
        .split(sep)
        .join('/'),
    );
  return {
    path,
    room: roomOf(path),
    text,
    ours,
    others: specifiers.filter((specifier) => !specifier.startsWith('.')),
  };
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** Every import of ours that leads where it may not. */
function strays(from: (source: Source) => boolean, rooms: (source: Source) => readonly string[]): string[] {
  return sources
    .filter(from)
    .flatMap((source) =>
      source.ours
        .filter((target) => !rooms(source).includes(roomOf(target)))
        .map((target) => `${source.path} imports ${target}`),
    );
}

describe('the source', () => {
  it('is found, with its imports', () => {
    expect(sources.length).toBeGreaterThan(50);
    const main = sources.find((source) => source.path === 'main.ts');
    expect(main?.ours).toContain('http/app.ts');
    expect(sources.find((source) => source.path === 'core/access/keys.ts')?.others).toEqual(['node:crypto']);
  });

  it('has a core that imports nothing but itself, what a network is, node:crypto and node:buffer', () => {
    const inCore = (source: Source) => source.room === 'core';
    expect(strays(inCore, () => ['core', 'network.ts'])).toEqual([]);
    const others = sources
      .filter(inCore)
      .flatMap(({ path, others: names }) => names.map((name) => `${path} imports ${name}`))
      .filter((line) => !/ imports node:(buffer|crypto)$/.test(line));
    expect(others).toEqual([]);
  });

  it('has rooms that know the core and what a network is, and never one another', () => {
    const rooms = ['http', 'jobs', 'storage', 'passwords', 'engine', 'webhooks'];
    expect(
      strays(
        (source) => rooms.includes(source.room),
        (source) => [source.room, 'core', 'network.ts', 'package-folder.ts'],
      ),
    ).toEqual([]);
  });

  it('has an import that speaks to the service as anyone else does: through the client', () => {
    const inImport = (source: Source) => source.room === 'import';
    expect(strays(inImport, () => ['import'])).toEqual([]);
    const others = sources.filter(inImport).flatMap((source) => source.others);
    expect(others.filter((name) => !/^(node:|@anagrafe\/client)/.test(name))).toEqual([]);
    const callers = sources.filter(({ others: names }) =>
      names.some((name) => name.startsWith('@anagrafe/')),
    );
    expect([...new Set(callers.map((source) => source.room))].sort()).toEqual(['cli', 'import']);
  });

  it('has settings that know nothing but the core', () => {
    const files = ['config.ts', 'settings.ts', 'network.ts'];
    expect(
      strays(
        (source) => files.includes(source.path),
        () => [...files, 'core'],
      ),
    ).toEqual([]);
  });

  it('has commands that nothing but the command line itself imports', () => {
    expect(
      strays(
        (source) => source.room !== 'cli' && source.path !== 'cli.ts',
        () => [...new Set(sources.map((source) => source.room))].filter((room) => !/^cli(\.ts)?$/.test(room)),
      ),
    ).toEqual([]);
  });

  it('has no room that these arrows do not know', () => {
    const known = ['cli', 'core', 'engine', 'http', 'import', 'jobs', 'passwords', 'storage', 'webhooks'];
    const folders = sources.filter((source) => source.path.includes('/')).map((source) => source.room);
    expect([...new Set(folders)].filter((room) => !known.includes(room))).toEqual([]);
  });

  it('has no drawer for what has no place', () => {
    const drawers = /^(utils?|helpers?|misc|types|shared|lib)$/;
    const found = sources.filter(({ path }) =>
      path.split('/').some((part) => drawers.test(basename(part, extname(part)))),
    );
    expect(found.map((source) => source.path)).toEqual([]);
  });

  it('imports with the extension of the file that is meant', () => {
    const paths = new Set(sources.map((source) => source.path));
    const lost = sources.flatMap(({ path, ours }) =>
      ours
        .filter((target) => !paths.has(target) && !target.startsWith('..'))
        .map((target) => `${path}: ${target}`),
    );
    expect(lost).toEqual([]);
  });

  it('has no file that cannot be read in one sitting, but for those a program wrote', () => {
    const long = sources
      .filter(({ path }) => !path.endsWith('.gen.ts'))
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > longest);
    expect(long).toEqual([]);
  });
});

describe('the client', () => {
  const client = sourcesBelow(clientRoot);

  it('imports nothing but itself', () => {
    expect(client.find(({ path }) => path === 'index.ts')?.ours).toContain('anagrafe.ts');
    const strange = client.flatMap(({ path, ours, others }) =>
      [...others, ...ours.filter((target) => target.startsWith('..'))].map((name) => `${path}: ${name}`),
    );
    expect(strange).toEqual([]);
  });

  it('has no file that cannot be read in one sitting, but for the one a program wrote', () => {
    const lines = ({ text }: Source) => text.trimEnd().split('\n').length;
    const long = client.filter((source) => !source.path.endsWith('.gen.ts') && lines(source) > longest);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('the console', () => {
  const pages = sourcesBelow(consoleRoot);
  const scripts = pages.filter(({ path }) => /\.tsx?$/.test(path));

  it('speaks to the service through the client alone', () => {
    expect(scripts.find(({ path }) => path === 'api/anagrafe.ts')?.others).toContain('@anagrafe/client');
    const outside = scripts.flatMap(({ path, ours, others }) =>
      [...ours.filter((target) => target.startsWith('..')), ...others.filter((name) => !isItsOwn(name))].map(
        (name) => `${path}: ${name}`,
      ),
    );
    expect(outside).toEqual([]);
    const itself = scripts.filter(({ text }) => /\bfetch\(|XMLHttpRequest|EventSource|WebSocket/.test(text));
    expect(itself.map(({ path }) => path)).toEqual([]);
  });

  it('has pages that know the parts and what is read, and never one another', () => {
    const strange = scripts
      .filter(({ room }) => room === 'pages')
      .flatMap(({ path, ours }) => {
        const folder = path.split('/').slice(0, 2).join('/');
        const known = [`${folder}/`, 'api/', 'language/', 'parts/'];
        return ours
          .filter((target) => !known.some((start) => target.startsWith(start)))
          .map((target) => `${path}: ${target}`);
      });
    expect(strange).toEqual([]);
  });

  it('has no file that cannot be read in one sitting', () => {
    const long = pages.filter(({ text }) => text.trimEnd().split('\n').length > longestPage);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

function isItsOwn(name: string): boolean {
  return /^(@anagrafe\/client|react|wouter|@(mantine|tanstack)\/)/.test(name);
}
