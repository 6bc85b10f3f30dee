import { progressOf, roundsOf } from '@anagrafe/testing/rounds';
import { inject, it } from 'vitest';
import { expectSoundAnswers } from './sound-answers.ts';

it('the service answers each of many random bodies correctly, and stores exactly what its answers report', async () => {
  const bodies = roundsOf(21_000);
  await expectSoundAnswers(bodies, inject('seed'), progressOf('random-bodies', bodies));
});
