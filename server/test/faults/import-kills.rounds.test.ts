import { roundsOf } from '@anagrafe/testing/rounds';
import { inject, it } from 'vitest';
import { expectImportSurvives } from './import-kills.ts';

const rowsPerKill = 500;

it('an import through two nodes stores each valid row once, although nodes, importer, PostgreSQL and its connections are killed many times', async () => {
  const kills = roundsOf(100);
  await expectImportSurvives({
    rows: kills * rowsPerKill,
    kills,
    seed: inject('seed'),
    waitsForHeartbeats: true,
  });
});
