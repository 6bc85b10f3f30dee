import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src/', import.meta.url));
const clientRoot = fileURLToPath(new URL('../../client/src/', import.meta.url));
const importerRoot = fileURLToPath(new URL('../../importer/src/', import.meta.url));
const consoleRoot = fileURLToPath(new URL('../../console/src/', import.meta.url));
const longest = 300;

interface Source {
  /** The path relative to `src/`, with slashes: `http/envelope.ts`. */
  readonly path: string;
  /** The top-level folder, or the file name of a file in `src/` itself. */
  readonly room: string;
  readonly text: string;
  /** The imported files, as paths relative to `src/`. */
  readonly ours: readonly string[];
  /** The imported packages. */
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

/** The folders of `src/`. Each imports only from itself and from those before it. */
const folders = [
  'lib',
  'i18n',
  'json',
  'embedded-postgres',
  'encryption',
  'usernames',
  'passwords',
  'db',
  'http',
  'audit',
  'clients',
  'records',
  'idempotency',
  'jobs',
  'accounts',
  'calls',
  'webhooks',
  'statistics',
  'console',
];

/** Returns the folder of a file, or `wiring` for files in `src/` itself, which may import everything except `cli`. */
function folderOf(path: string): string {
  return path.includes('/') ? roomOf(path) : 'wiring';
}

describe('the server', () => {
  it('has sources whose imports this test can read', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.find(({ path }) => path === 'main.ts')?.ours).toContain('app.ts');
    expect(sources.find(({ path }) => path === 'lib/secrets.ts')?.others).toEqual(['node:crypto']);
  });

  it('has exactly the folders of the declared order', () => {
    const found = new Set(sources.map(({ path }) => folderOf(path)));
    expect([...found].sort()).toEqual([...folders, 'cli', 'wiring'].sort());
  });

  it('imports only from folders that come before in the order', () => {
    const order = [...folders, 'wiring', 'cli'];
    const wrong = sources.flatMap(({ path, ours }) =>
      ours
        .filter((target) => order.indexOf(folderOf(target)) > order.indexOf(folderOf(path)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(cycles(new Map(sources.map(({ path, ours }) => [path, ours])))).toEqual([]);
  });

  it('has SQL only in stores and in db/', () => {
    const sql = /\b(from|into|update|join|table)\s+anagrafe(_queue)?\.\w/;
    const withSql = sources.filter(({ text }) => sql.test(text)).map(({ path }) => path);
    expect(withSql).toContain('records/records.store.ts');
    expect(withSql.filter((path) => !path.startsWith('db/') && !path.endsWith('.store.ts'))).toEqual([]);
  });

  it('uses Fastify only in routes, plugins, http/ and the wiring', () => {
    const wrong = sources.filter(
      ({ path, others }) =>
        others.includes('fastify') && !/^(http\/|[^/]+$)/.test(path) && !/\.(routes|plugin)\.ts$/.test(path),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('uses the client and the importer only in cli/', () => {
    const callers = sources.filter(({ others: names }) =>
      names.some((name) => name.startsWith('@anagrafe/')),
    );
    expect([...new Set(callers.map((source) => source.room))].sort()).toEqual(['cli']);
  });

  it('imports only files that exist', () => {
    const paths = new Set(sources.map((source) => source.path));
    const lost = sources.flatMap(({ path, ours }) =>
      ours
        .filter((target) => !paths.has(target) && !target.startsWith('..'))
        .map((target) => `${path}: ${target}`),
    );
    expect(lost).toEqual([]);
  });

  it('has no file above 300 lines, except generated ones', () => {
    const long = sources
      .filter(({ path }) => !path.endsWith('.gen.ts'))
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > longest);
    expect(long).toEqual([]);
  });
});

/** Returns the import cycles, each as a text such as `a.ts -> b.ts -> a.ts`. */
function cycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) found.push([...above.slice(above.indexOf(path)), path].join(' -> '));
    if (done.has(path) || above.includes(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}

describe('the client', () => {
  const client = sourcesBelow(clientRoot);

  it('imports only its own files', () => {
    expect(client.find(({ path }) => path === 'index.ts')?.ours).toContain('anagrafe.ts');
    const foreign = client.flatMap(({ path, ours, others }) =>
      [...others, ...ours.filter((target) => target.startsWith('..'))].map((name) => `${path}: ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  it('has no file above 300 lines, except the generated one', () => {
    const lines = ({ text }: Source) => text.trimEnd().split('\n').length;
    const long = client.filter((source) => !source.path.endsWith('.gen.ts') && lines(source) > longest);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('the importer', () => {
  const importer = sourcesBelow(importerRoot);

  it('imports only its own files and the client, and Node.js only in node/', () => {
    expect(importer.find(({ path }) => path === 'index.ts')?.ours).toContain('file/open.ts');
    const foreign = importer.flatMap(({ path, ours, others }) => [
      ...others
        .filter(
          (name) => name !== '@anagrafe/client' && !(path.startsWith('node/') && name.startsWith('node:')),
        )
        .map((name) => `${path}: ${name}`),
      ...ours.filter((target) => target.startsWith('..')).map((name) => `${path}: ${name}`),
    ]);
    expect(foreign).toEqual([]);
  });

  it('imports only from folders that come before in the order: file, import, node', () => {
    const order = ['file', 'import', 'node'];
    const rank = (path: string) => order.indexOf(roomOf(path));
    const wrong = importer
      .filter(({ path }) => path !== 'index.ts')
      .flatMap(({ path, ours }) =>
        ours.filter((target) => rank(target) > rank(path)).map((target) => `${path} imports ${target}`),
      );
    expect(wrong).toEqual([]);
    expect(cycles(new Map(importer.map(({ path, ours }) => [path, ours])))).toEqual([]);
  });

  it('has no file above 300 lines', () => {
    const long = importer.filter(({ text }) => text.trimEnd().split('\n').length > longest);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('the console', () => {
  const pages = sourcesBelow(consoleRoot);
  const scripts = pages.filter(({ path }) => /\.tsx?$/.test(path));

  it('calls the service only through the client package', () => {
    expect(scripts.find(({ path }) => path === 'features/session/api-client.ts')?.others).toContain(
      '@anagrafe/client',
    );
    const outside = scripts.flatMap(({ path, ours, others }) =>
      [...ours.filter((target) => target.startsWith('..')), ...others.filter((name) => !isItsOwn(name))].map(
        (name) => `${path}: ${name}`,
      ),
    );
    expect(outside).toEqual([]);
    const itself = scripts.filter(({ text }) => /\bfetch\(|XMLHttpRequest|EventSource|WebSocket/.test(text));
    expect(itself.map(({ path }) => path)).toEqual([]);
  });

  it('imports only from folders that come before in the order', () => {
    const features = [
      'session',
      'clients',
      'results',
      'events',
      'webhooks',
      'audit',
      'principals',
      'calls',
      'jobs',
      'import',
      'overview',
    ];
    const order = ['i18n', 'ui', ...features.map((name) => `features/${name}`), 'app', 'main.tsx'];
    const rank = (path: string) =>
      order.findIndex((folder) => path === folder || path.startsWith(`${folder}/`));
    expect(scripts.filter(({ path }) => rank(path) < 0).map(({ path }) => path)).toEqual([]);
    const wrong = scripts.flatMap(({ path, ours }) =>
      ours.filter((target) => rank(target) > rank(path)).map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(cycles(new Map(scripts.map(({ path, ours }) => [path, ours])))).toEqual([]);
  });

  it('has no file above 300 lines, except the translations', () => {
    const long = pages.filter(
      ({ path, text }) => !/^i18n\/(en|it)\.ts$/.test(path) && text.trimEnd().split('\n').length > longest,
    );
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

function isItsOwn(name: string): boolean {
  return /^(@anagrafe\/(client|importer)$|react|wouter|@(mantine|tanstack)\/)/.test(name);
}
