import { runs } from '@anagrafe/testing/random';
import { startTestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { it } from 'vitest';
import { expectUndone, runCalls } from './undo.ts';

it('the undo of a run of any calls restores what was stored before the run', async () => {
  const service = await startTestService();
  await fc.assert(
    fc.asyncProperty(runCalls, (calls) => expectUndone(service, calls)),
    runs(20),
  );
}, 600_000);
