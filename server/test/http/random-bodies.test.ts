import { it } from 'vitest';
import { expectSoundAnswers } from './sound-answers.ts';

it('the service answers 1,000 seeded random bodies correctly, and stores exactly what its answers report', async () => {
  await expectSoundAnswers(1_000, 20_261_116);
});
