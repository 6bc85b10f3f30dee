import { it } from 'vitest';
import { expectSoundAnswers } from './sound-answers.ts';

it('the service answers 21,000 random bodies correctly, and stores exactly what its answers report', async () => {
  await expectSoundAnswers(21_000);
});
