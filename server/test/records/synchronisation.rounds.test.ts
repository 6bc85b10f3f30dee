import { progressOf, roundsOf } from '@anagrafe/testing/rounds';
import { startTestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { inject, it } from 'vitest';
import { calls, expectModel } from './synchronisation-model.ts';

it('irs/export returns what a model of the service has stored after each random sequence of calls', async () => {
  const service = await startTestService();
  const numRuns = roundsOf(10_000);
  const report = progressOf('synchronisation', numRuns);
  let done = 0;
  await fc.assert(
    fc.asyncProperty(calls, async (sequence) => {
      await expectModel(service, sequence);
      report(++done);
    }),
    { numRuns, seed: inject('seed') },
  );
});
