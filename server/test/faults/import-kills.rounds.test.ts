import { waitLimitMs } from '@anagrafe/testing/until';
import { it } from 'vitest';
import { expectImportSurvives } from './import-kills.ts';

/** IMPORT_KILLS=1000 runs the test for much longer; IMPORT_KILLS_SEED=2 kills in another order. */
const kills = Number(process.env.IMPORT_KILLS ?? 100);
const seed = Number(process.env.IMPORT_KILLS_SEED ?? 1);
const rowsPerKill = 500;

it(
  'an import through two nodes stores each valid row once, although nodes, importer, PostgreSQL and its connections are killed many times',
  () => expectImportSurvives({ rows: kills * rowsPerKill, kills, seed, waitsForHeartbeats: true }),
  kills * waitLimitMs,
);
