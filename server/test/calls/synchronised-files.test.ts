import { startTestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { it } from 'vitest';
import { expectUndone, filePairs } from './synchronised-files.ts';

it('the undo of any synchronised file restores what any imported file has stored', async () => {
  const service = await startTestService();
  await fc.assert(
    fc.asyncProperty(filePairs, (files) => expectUndone(service, files)),
    { numRuns: 30 },
  );
});
