import { it } from 'vitest';
import { expectSoundAnswers } from './sound-answers.ts';

it('the service answers 4,000 seeded random bodies correctly, and stores exactly what its answers report', async () => {
  await expectSoundAnswers(4_000, 20_261_116);
});
