import { progressOf, roundsOf } from '@anagrafe/testing/rounds';
import { startTestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { inject, it } from 'vitest';
import { expectUndone, filePairs } from './synchronised-files.ts';

it('the undo of each of many synchronised random files restores what the file imported before it has stored', async () => {
  const service = await startTestService();
  const numRuns = roundsOf(10_000);
  const report = progressOf('synchronised-files', numRuns);
  let done = 0;
  await fc.assert(
    fc.asyncProperty(filePairs, async (files) => {
      await expectUndone(service, files);
      report(++done);
    }),
    { numRuns, seed: inject('seed') },
  );
});
