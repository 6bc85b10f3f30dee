import fc from 'fast-check';
import { it } from 'vitest';
import { runs } from '../setup/random.ts';
import { startTestService } from '../setup/service.ts';
import { expectUndone, runCalls } from './undo.ts';

it('the undo of a run of any calls restores what was stored before the run', async () => {
  const service = await startTestService();
  await fc.assert(
    fc.asyncProperty(runCalls, (calls) => expectUndone(service, calls)),
    runs(20),
  );
}, 600_000);
