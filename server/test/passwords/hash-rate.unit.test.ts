import { describe, expect, it } from 'vitest';
import { RateMeter } from '../../src/passwords/hash-rate.ts';

describe('the hash rate', () => {
  it('is the average of the last ten seconds', () => {
    let now = 5000;
    const meter = new RateMeter(() => now);
    expect(meter.perSecond).toBe(0);
    for (let done = 0; done < 30; done++) meter.note();
    expect(meter.perSecond).toBe(3);
    now += 9000;
    for (let done = 0; done < 10; done++) meter.note();
    expect(meter.perSecond).toBe(4);
    now += 1000;
    expect(meter.perSecond).toBe(1);
    now += 3_600_000;
    expect(meter.perSecond).toBe(0);
  });
});
