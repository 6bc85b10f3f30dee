import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { dataParent } from './testing/src/data-parent.ts';
import { SlowFilesFirst } from './testing/src/slow-files-first.ts';
import { waitLimitMs } from './testing/src/until.ts';

interface Grouping {
  groupBy?<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]>;
}

// Vitest's reporters need Map.groupBy to print a failure; Node 20 does not have it.
(Map as Grouping).groupBy ??= (items, keyOf) => {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

/** Tests that need neither a database nor a service, and take little time. `npm run check` runs these. */
const unit = ['server/test/**/*.unit.test.ts', '{client,importer,console}/test/*.test.ts'];

/** Run on the oldest supported PostgreSQL too: together they send every kind of statement of the service. */
const onBothVersions = 'server/test/**/*.pg.test.ts';

/** Rounds that repeat one fault many times take minutes: `npm run faults` runs them. */
const longRounds = 'server/test/**/*.rounds.test.ts';

/** Hostile clients beside one that behaves well: `npm run attack` runs them, alone on the machine. */
const attacks = 'server/test/**/*.attack.test.ts';

/** The options of `npm run faults` and `npm run attack`, which scripts/test.cjs passes on. */
const rounds = process.env.TEST_ROUNDS ? Number(process.env.TEST_ROUNDS) : null;
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31));
const only = process.env.TEST_ONLY ? process.env.TEST_ONLY.split(',') : [];

/** Properties of fast-check that `npm run faults` checks with many times as many random values. */
const properties = [
  'importer/test/service/sheets.test.ts',
  'server/test/calls/undo-random.test.ts',
  'server/test/json/values.unit.test.ts',
  'server/test/passwords/imported-hash-cost.unit.test.ts',
  'server/test/records/{list,users}.pg.test.ts',
  'server/test/usernames/{precis-properties,search}.unit.test.ts',
  'importer/test/{csv-properties,encoding,failed-rows,json,send-rows}.test.ts',
];

const shared = {
  globalSetup: ['testing/src/prepared.ts', 'testing/src/postgres-cluster.ts'],
};

/** A test of rounds may run for days; each wait in it has its own limit. */
const unlimited = { testTimeout: 2 ** 31 - 1 };

export default defineConfig({
  test: {
    // Test files mostly wait for processes and for the database, so that more of them than cores can run.
    maxWorkers: Math.max(6, availableParallelism()),
    // Modules stay loaded from one file to the next; testing/src/endings.ts stops what a file has started.
    isolate: false,
    // More workers than cores: parallel threads of a garbage collection would only take the cores from other workers.
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=32'],
    sequence: { sequencer: SlowFilesFirst },
    setupFiles: ['testing/src/end.ts'],
    provide: {
      prepared: join(dataParent(), `anagrafe-prepared-${process.pid}`),
      timesRuns: 1,
      rounds,
      seed,
      only,
    },
    // No test measures time. These limits only end what hangs, on the slowest machine too.
    testTimeout: 5 * waitLimitMs,
    hookTimeout: 5 * waitLimitMs,
    // A failure that does not repeat does not stop CI. The last lines of the run name the test.
    retry: process.env.CI ? 1 : 0,
    expect: { poll: { timeout: waitLimitMs, interval: 25 } },
    reporters: ['default', './testing/src/reporter.ts'],
    projects: [
      { extends: true, test: { name: 'unit', include: unit } },
      {
        extends: true,
        test: {
          ...shared,
          name: 'service',
          include: ['{server,client,importer,console}/test/**/*.test.ts'],
          exclude: [...unit, longRounds, attacks],
          provide: { postgresVersion: 18 },
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'postgres-15',
          include: [onBothVersions],
          // The values matter less than the statements, which PostgreSQL 18 gets with all values.
          provide: { postgresVersion: 15, timesRuns: 0.2 },
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'rounds',
          include: [longRounds, ...properties],
          provide: { postgresVersion: 18, timesRuns: rounds ?? 10 },
          ...unlimited,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'attack',
          include: [attacks],
          provide: { postgresVersion: 18 },
          ...unlimited,
        },
      },
    ],
  },
});
