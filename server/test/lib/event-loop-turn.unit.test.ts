import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { turnStartedAt } from '../../src/lib/event-loop-turn.ts';

describe('the start of a turn of the event loop', () => {
  it('is the same for everything that is handled in the turn', async () => {
    const first = turnStartedAt();
    expect(first).toBeLessThanOrEqual(performance.now());
    while (performance.now() === first);
    await Promise.resolve();
    expect(turnStartedAt()).toBe(first);
  });

  it('is later in the next turn', async () => {
    const first = turnStartedAt();
    await nextTurn();
    await nextTurn();
    expect(turnStartedAt()).toBeGreaterThan(first);
  });
});
