import { startTestService } from '@anagrafe/testing/service';
import { it } from 'vitest';
import { expectLimitedAnswers } from './limited-model.ts';

it('random requests of limited callers get the answers of a model that filters in memory', async () => {
  await expectLimitedAnswers(await startTestService(), 100, Math.trunc(Math.random() * 2 ** 31));
});
