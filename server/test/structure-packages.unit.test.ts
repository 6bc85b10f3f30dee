import { cycles, isTooLong, sourcesBelow, topFolderOf } from '@anagrafe/testing/sources';
import { describe, expect, it } from 'vitest';

describe('the client', () => {
  const client = sourcesBelow('client/src');

  it('imports only its own files', () => {
    expect(client.find(({ path }) => path === 'index.ts')?.ours).toContain('anagrafe.ts');
    const foreign = client.flatMap(({ path, ours, others }) =>
      [...others, ...ours.filter((target) => target.startsWith('..'))].map((name) => `${path}: ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  it('has no file above 300 lines, except the generated one', () => {
    const long = client.filter((source) => !source.path.endsWith('.gen.ts') && isTooLong(source));
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('the importer', () => {
  const importer = sourcesBelow('importer/src');

  it('imports only its own files, the client and three libraries, and Node.js only in node/', () => {
    const allowed = ['@anagrafe/client', '@zip.js/zip.js/lib/zip-core-native.js', 'saxes', 'uqr'];
    expect(importer.find(({ path }) => path === 'index.ts')?.ours).toContain('file/open.ts');
    const foreign = importer.flatMap(({ path, ours, others }) => [
      ...others
        .filter((name) => !allowed.includes(name) && !(path.startsWith('node/') && name.startsWith('node:')))
        .map((name) => `${path}: ${name}`),
      ...ours.filter((target) => target.startsWith('..')).map((name) => `${path}: ${name}`),
    ]);
    expect(foreign).toEqual([]);
  });

  it('imports only from folders that come before in the order: file, import, plan, sheets, node', () => {
    const order = ['file', 'import', 'plan', 'sheets', 'node'];
    const rank = (path: string) => order.indexOf(topFolderOf(path));
    const wrong = importer
      .filter(({ path }) => path !== 'index.ts')
      .flatMap(({ path, ours }) =>
        ours.filter((target) => rank(target) > rank(path)).map((target) => `${path} imports ${target}`),
      );
    expect(wrong).toEqual([]);
    expect(cycles(new Map(importer.map(({ path, ours }) => [path, ours])))).toEqual([]);
  });

  it('has no file above 300 lines', () => {
    const long = importer.filter(isTooLong);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('the console', () => {
  const pages = sourcesBelow('console/src');
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
      'operators',
      'clients',
      'results',
      'events',
      'webhooks',
      'audit',
      'invitations',
      'mails',
      'users',
      'principals',
      'plans',
      'calls',
      'jobs',
      'import',
      'runs',
      'sync',
      'overview',
      'setup',
      'health',
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
    const long = pages.filter((source) => !/^i18n\/(en|it)\.ts$/.test(source.path) && isTooLong(source));
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

function isItsOwn(name: string): boolean {
  return /^(@anagrafe\/(client|importer)$|react|wouter|uqr$|@(mantine|tanstack)\/)/.test(name);
}
