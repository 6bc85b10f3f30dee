import { inRounds } from '@anagrafe/testing/rounds';
import { it } from 'vitest';
import { expectToFit, shapes, ways } from './large-bodies.ts';

it('calls with 50,000 users of each shape, as dry runs and as jobs, fit into a small heap and free their memory', async () => {
  await inRounds('large-bodies', 2, () => expectToFit(shapes.map((shape) => ({ shape, by: ways }))));
});
