import { startTestService, type TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { beforeAll, it } from 'vitest';
import { expectUndone, filePairs } from './synchronised-files.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Few pairs in each test, because each test has a time limit, also on a slow machine. */
const pairsPerTest = 50;
const count = Math.ceil(Number(process.env.FILE_PAIRS ?? 10_000) / pairsPerTest);
const parts = Array.from({ length: count }, (_, at) => at + 1);
const seed = Number(process.env.FILE_PAIRS_SEED ?? Math.trunc(Math.random() * 2 ** 31));

it.each(parts)(
  `the undo of each of ${pairsPerTest} synchronised files restores what the file imported before it has stored (part %i, FILE_PAIRS_SEED=${seed})`,
  async (part) => {
    await fc.assert(
      fc.asyncProperty(filePairs, (files) => expectUndone(service, files)),
      { numRuns: pairsPerTest, seed: seed + part },
    );
  },
);
