import { startTestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { it } from 'vitest';
import { calls, expectModel } from './synchronisation-model.ts';

it('irs/export returns what a model of the service has stored after any sequence of calls', async () => {
  const service = await startTestService();
  await fc.assert(
    fc.asyncProperty(calls, (sequence) => expectModel(service, sequence)),
    { numRuns: 10 },
  );
});
