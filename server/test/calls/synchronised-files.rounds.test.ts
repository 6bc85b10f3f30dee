import { startTestService, type TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { beforeAll, it } from 'vitest';
import { expectUndone, filePairs } from './synchronised-files.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Several tests, because all pairs together take longer than the time limit of a test on a slow machine. */
const thousands = Array.from({ length: Number(process.env.FILE_PAIRS ?? 10_000) / 500 }, (_, at) => at + 1);
const seed = Number(process.env.FILE_PAIRS_SEED ?? Math.trunc(Math.random() * 2 ** 31));

it.each(thousands)(
  `the undo of each of 500 synchronised files restores what the file imported before it has stored (part %i, FILE_PAIRS_SEED=${seed})`,
  async (part) => {
    await fc.assert(
      fc.asyncProperty(filePairs, (files) => expectUndone(service, files)),
      { numRuns: 500, seed: seed + part },
    );
  },
);
