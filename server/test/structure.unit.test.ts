import { readdirSync } from 'node:fs';
import { cycles, isTooLong, sourcesBelow, topFolderOf } from '@anagrafe/testing/sources';
import { describe, expect, it } from 'vitest';

const sources = sourcesBelow('server/src');

/** The folders of `src/`. Each imports only from itself and from those before it. */
const folders = [
  'i18n',
  'lib',
  'json',
  'embedded-postgres',
  'encryption',
  'usernames',
  'passwords',
  'db',
  'http',
  'settings',
  'audit',
  'backup',
  'dump',
  'clients',
  'records',
  'erasures',
  'idempotency',
  'queue',
  'jobs',
  'accounts',
  'operators',
  'mail',
  'calls',
  'webhooks',
  'key-rotation',
  'statistics',
  'console',
];

/** Stores whose rows other features write or read in their own transactions. Every feature may use them. */
const sharedStores = [
  'audit/audit.store.ts',
  'audit/activity.store.ts',
  'records/write/call-outcomes.store.ts',
  'records/write/password-codes.store.ts',
];

/**
 * The imports of any other store of another feature. This list may only shrink: an entry that is no longer needed fails
 * the test too, and a new one needs a function that `main.ts` provides.
 */
const foreignStores = [
  // A webhook is disabled by its deliveries, and in the transaction that takes the scope admin from its client.
  'webhooks/deliveries.store.ts imports clients/clients.store.ts',
];

/** Folders of `server/test` that are not those of a feature; CONTRIBUTING.md describes them. */
const otherTestFolders = ['docs', 'faults', 'samples', 'upgrade'];

/** Returns the folder of a file, or `wiring` for files in `src/` itself, which may import everything except `cli`. */
function folderOf(path: string): string {
  return path.includes('/') ? topFolderOf(path) : 'wiring';
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

  it('has the steps of a record in order in records/, each importing only from those before it', () => {
    const steps = ['fields', 'parse', 'write', 'check', 'operations', 'read', 'open-records.ts'];
    const stepOf = (path: string) => steps.indexOf(path.split('/')[1] ?? '');
    const records = sources.filter(({ path }) => folderOf(path) === 'records');
    expect(records.filter(({ path }) => stepOf(path) < 0).map(({ path }) => path)).toEqual([]);
    const wrong = records.flatMap(({ path, ours }) =>
      ours
        .filter((target) => folderOf(target) === 'records' && stepOf(target) > stepOf(path))
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
    expect(withSql).toContain('records/check/check.store.ts');
    expect(withSql.filter((path) => !path.startsWith('db/') && !path.endsWith('.store.ts'))).toEqual([]);
  });

  it('uses the store of a feature only in its own folder, in the wiring and in cli/, except the shared ones', () => {
    const foreign = sources.flatMap(({ path, ours }) =>
      ['wiring', 'cli'].includes(folderOf(path))
        ? []
        : ours
            .filter((target) => target.endsWith('.store.ts') && folderOf(target) !== folderOf(path))
            .filter((target) => !sharedStores.includes(target))
            .map((target) => `${path} imports ${target}`),
    );
    expect(foreign.sort()).toEqual(foreignStores.toSorted());
  });

  it('has its tests in folders of the same names', () => {
    const found = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const known = [...folders, 'cli', ...otherTestFolders];
    expect(found.filter((name) => !known.includes(name))).toEqual([]);
    expect(otherTestFolders.filter((name) => !found.includes(name))).toEqual([]);
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
    expect([...new Set(callers.map((source) => source.topFolder))].sort()).toEqual(['cli']);
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
    const long = sources.filter(({ path }) => !path.endsWith('.gen.ts')).filter(isTooLong);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});
