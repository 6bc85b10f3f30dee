import { it } from 'vitest';
import { expectSoundAnswers } from './sound-answers.ts';

it('answers 4,000 random bodies in form, and stores exactly what its answers say', async () => {
  await expectSoundAnswers(4_000, 20_261_116);
});
