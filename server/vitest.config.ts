import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

interface Grouping {
  groupBy?<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]>;
}

// Vitest's reporters count on it to show a failure; Node 20 does not have it yet.
(Map as Grouping).groupBy ??= (items, keyOf) => {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

/** The suites that speak to a store: the same ones on the embedded engine and on an outside PostgreSQL. */
const onEveryStore = ['test/contract/**/*.test.ts', 'test/http/**/*.test.ts'];

/** A browser takes much of the machine: these run when the rest is done. */
const inBrowser = 'test/browser/**/*.test.ts';

/** What is answered before the store is asked is the same on any. */
const beforeTheStore = [
  'test/http/bad-*.test.ts',
  'test/http/*openapi*.test.ts',
  'test/http/console-files.test.ts',
  'test/http/log.test.ts',
  'test/http/operation.test.ts',
];

export default defineConfig({
  test: {
    // Most of the time goes into waiting for processes; more files at a time make use of it.
    maxWorkers: 4,
    // Modules stay loaded from one file to the next: what a file leaves to be ended is told to `setup/endings.ts`.
    isolate: false,
    setupFiles: ['test/setup/end.ts'],
    // What takes long to make is made once, in here.
    provide: { prepared: join(tmpdir(), `anagrafe-prepared-${process.pid}`) },
    globalSetup: ['test/setup/prepared.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: [...onEveryStore, inBrowser] },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          testTimeout: 120_000,
          include: [inBrowser],
          provide: { store: 'embedded' },
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'embedded', include: onEveryStore, provide: { store: 'embedded' } },
      },
      {
        extends: true,
        test: {
          name: 'outside',
          include: onEveryStore,
          exclude: beforeTheStore,
          provide: { store: 'outside' },
          globalSetup: ['test/setup/prepared.ts', 'test/setup/outside-cluster.ts'],
        },
      },
    ],
  },
});
