import { describe, expect, it } from 'vitest';
import { Pace } from '../../src/passwords/pace.ts';

describe('the pace', () => {
  it('is what was done in the last ten seconds, and forgets what lies further back', () => {
    let now = 5000;
    const pace = new Pace(() => now);
    expect(pace.perSecond).toBe(0);
    for (let done = 0; done < 30; done++) pace.note();
    expect(pace.perSecond).toBe(3);
    now += 9000;
    for (let done = 0; done < 10; done++) pace.note();
    expect(pace.perSecond).toBe(4);
    now += 1000;
    expect(pace.perSecond).toBe(1);
    now += 3_600_000;
    expect(pace.perSecond).toBe(0);
  });
});
