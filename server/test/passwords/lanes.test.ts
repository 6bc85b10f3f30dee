import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lane } from '../../src/core/records/hashing.ts';
import { Lanes } from '../../src/passwords/lanes.ts';

const longestRun = 16;

/** Tasks by name; the part before the colon is whose they are. */
function push(lanes: Lanes, lane: Lane, ...names: string[]): void {
  for (const name of names) {
    const task = { share: name.split(':')[0] ?? '', run: async () => {}, name };
    lanes.push(lane, task);
  }
}

function next(lanes: Lanes): string | undefined {
  return (lanes.next() as { name?: string } | undefined)?.name;
}

function drain(lanes: Lanes): string[] {
  const order: string[] = [];
  for (let name = next(lanes); name !== undefined; name = next(lanes)) order.push(name);
  return order;
}

const some = (count: number, share: string) => Array.from({ length: count }, (_, n) => `${share}:${n}`);

describe('the lanes', () => {
  it('have nothing to give when nothing waits', () => {
    const lanes = new Lanes();
    expect(lanes.next()).toBeUndefined();
    expect([lanes.length('interactive'), lanes.length('bulk')]).toEqual([0, 0]);
    expect([lanes.ahead('interactive', 'a', 5), lanes.ahead('bulk', 'a', 5)]).toEqual([0, 0]);
  });

  it('let interactive work go before bulk work that came earlier', () => {
    const lanes = new Lanes();
    push(lanes, 'bulk', 'erp:1', 'erp:2');
    push(lanes, 'interactive', 'mario:1', 'anna:1');
    expect(drain(lanes)).toEqual(['mario:1', 'anna:1', 'erp:1', 'erp:2']);
  });

  it('give bulk work a turn after sixteen interactive ones in a row', () => {
    const lanes = new Lanes();
    push(lanes, 'bulk', ...some(3, 'bulk'));
    push(lanes, 'interactive', ...some(40, 'single'));
    const order = drain(lanes);
    expect(order.flatMap((name, at) => (name.startsWith('bulk') ? [at] : []))).toEqual([16, 33, 42]);
    expect(order.filter((name) => name.startsWith('single'))).toEqual(some(40, 'single'));
  });

  it('never make bulk work wait for more than sixteen interactive turns, however they come', () => {
    const steps = fc.array(fc.constantFrom('interactive', 'bulk', 'next', 'next'), { maxLength: 400 });
    fc.assert(
      fc.property(steps, (commands) => {
        const lanes = new Lanes();
        let run = 0;
        for (const command of commands) {
          if (command !== 'next') {
            push(lanes, command as Lane, `${command}:x`);
            continue;
          }
          const bulkWaits = lanes.length('bulk') > 0;
          const interactiveWaits = lanes.length('interactive') > 0;
          const name = next(lanes);
          if (name === undefined) expect([bulkWaits, interactiveWaits]).toEqual([false, false]);
          run = bulkWaits && name === 'interactive:x' ? run + 1 : 0;
          expect(run).toBeLessThanOrEqual(longestRun);
        }
      }),
    );
  });

  it.each(['bulk', 'interactive'] as const)('serve the callers of the %s lane in turn', (lane) => {
    const lanes = new Lanes();
    push(lanes, lane, ...some(4, 'a'), ...some(1, 'b'), ...some(2, 'c'));
    expect(drain(lanes)).toEqual(['a:0', 'b:0', 'c:0', 'a:1', 'c:1', 'a:2', 'a:3']);
  });

  it('let a caller that comes late wait for one task of each other caller, not for all of them', () => {
    const lanes = new Lanes();
    push(lanes, 'bulk', ...some(1000, 'a'), ...some(1000, 'b'));
    expect([next(lanes), next(lanes), next(lanes)]).toEqual(['a:0', 'b:0', 'a:1']);
    push(lanes, 'bulk', 'late:0');
    expect([next(lanes), next(lanes), next(lanes)]).toEqual(['b:1', 'a:2', 'late:0']);
  });

  it('lose nothing, do nothing twice, and keep the order of each caller', () => {
    const tasks = fc.array(fc.tuple(fc.constantFrom<Lane>('interactive', 'bulk'), fc.nat(4), fc.boolean()));
    fc.assert(
      fc.property(tasks, (given) => {
        const lanes = new Lanes();
        const done: string[] = [];
        for (const [n, [lane, share, takeOne]] of given.entries()) {
          push(lanes, lane, `${lane}${share}:${n}`);
          if (takeOne) done.push(next(lanes) ?? '');
        }
        expect(lanes.length('bulk') + lanes.length('interactive')).toBe(given.length - done.length);
        done.push(...drain(lanes));
        expect([lanes.length('bulk'), lanes.length('interactive')]).toEqual([0, 0]);
        const sent = given.map(([lane, share], n) => `${lane}${share}:${n}`);
        expect(done.toSorted()).toEqual(sent.toSorted());
        for (const share of new Set(sent.map((name) => name.split(':')[0]))) {
          const own = (names: string[]) => names.filter((name) => name.startsWith(`${share}:`));
          expect(own(done)).toEqual(own(sent));
        }
      }),
    );
  });
});

describe('what is ahead of a new call', () => {
  const queued = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 30 })), { maxLength: 4 });

  it('is what is served before its last task, as far as it can be known', () => {
    fc.assert(
      fc.property(
        queued,
        queued,
        fc.constantFrom<Lane>('interactive', 'bulk'),
        fc.integer({ min: 1, max: 30 }),
        (interactive, bulk, lane, count) => {
          const lanes = new Lanes();
          for (const [share, amount] of interactive) push(lanes, 'interactive', ...some(amount, `s${share}`));
          for (const [share, amount] of bulk) push(lanes, 'bulk', ...some(amount, `s${share}`));
          const foretold = lanes.ahead(lane, 's0', count);
          push(lanes, lane, ...Array.from({ length: count }, (_, n) => `s0:new${n}`));
          const order = drain(lanes);
          const served = order.slice(0, order.indexOf(`s0:new${count - 1}`));
          const before = served.filter((name) => !name.includes('new')).length;
          // The turns that the other lane has in between are not foretold.
          const slack = Math.ceil(served.length / longestRun) + 1;
          expect(before).toBeLessThanOrEqual(foretold + slack);
          if (lane === 'interactive' || interactive.length === 0)
            expect(before).toBeGreaterThanOrEqual(
              foretold - new Set([...interactive, ...bulk].map(([s]) => s)).size,
            );
        },
      ),
    );
  });

  it("counts of another caller's thousands no more than this call's own turns", () => {
    const lanes = new Lanes();
    push(lanes, 'bulk', ...some(5000, 'big'));
    expect(lanes.ahead('bulk', 'small', 10)).toBe(10);
    expect(lanes.ahead('bulk', 'big', 10)).toBe(5000);
    expect(lanes.ahead('interactive', 'small', 1)).toBe(0);
  });
});
