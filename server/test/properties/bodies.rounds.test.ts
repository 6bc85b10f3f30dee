import { it } from 'vitest';
import { expectSoundAnswers } from './sound-answers.ts';

it('answers 21,000 bodies that are new in each run in form, and stores exactly what its answers say', async () => {
  await expectSoundAnswers(21_000);
});
