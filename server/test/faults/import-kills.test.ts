import { it } from 'vitest';
import { expectImportSurvives } from './import-kills.ts';

it('an import through two nodes stores each valid row once, although nodes, importer, PostgreSQL and its connections are killed', async () => {
  await expectImportSurvives({ rows: 3000, kills: 6, seed: 1, waitsForHeartbeats: false });
});
