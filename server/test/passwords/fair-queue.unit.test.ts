import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue, type Lane } from '../../src/passwords/fair-queue.ts';

interface Task {
  readonly share: string;
  readonly source?: string;
  readonly name: string;
  readonly weight: number;
}

/** Adds tasks of weight 1. The part of a name before the colon is the share of the task. */
function push(lanes: FairQueue<Task>, lane: Lane, ...names: string[]): void {
  for (const name of names) lanes.push(lane, { share: name.split(':')[0] ?? '', name, weight: 1 });
}

function next(lanes: FairQueue<Task>, lane: Lane): string | undefined {
  return lanes.next(lane)?.name;
}

function drain(lanes: FairQueue<Task>, lane: Lane): string[] {
  const order: string[] = [];
  for (let name = next(lanes, lane); name !== undefined; name = next(lanes, lane)) order.push(name);
  return order;
}

const some = (count: number, share: string) => Array.from({ length: count }, (_, n) => `${share}:${n}`);

describe('the lanes of the fair queue', () => {
  it('return no task if none is queued', () => {
    const lanes = new FairQueue<Task>();
    for (const lane of ['interactive', 'bulk'] as const) {
      expect(lanes.next(lane)).toBeUndefined();
      expect(lanes.length(lane)).toBe(0);
      expect(lanes.ahead(lane, { share: 'a', weight: 5 })).toBe(0);
    }
  });

  it('are independent of each other', () => {
    const lanes = new FairQueue<Task>();
    push(lanes, 'bulk', 'erp:1', 'erp:2');
    push(lanes, 'interactive', 'mario:1', 'anna:1');
    expect([lanes.length('interactive'), lanes.length('bulk')]).toEqual([2, 2]);
    expect(drain(lanes, 'interactive')).toEqual(['mario:1', 'anna:1']);
    expect(drain(lanes, 'bulk')).toEqual(['erp:1', 'erp:2']);
  });

  it.each(['bulk', 'interactive'] as const)(
    'serve the callers of the %s lane in round-robin order',
    (lane) => {
      const lanes = new FairQueue<Task>();
      push(lanes, lane, ...some(4, 'a'), ...some(1, 'b'), ...some(2, 'c'));
      expect(drain(lanes, lane)).toEqual(['a:0', 'b:0', 'c:0', 'a:1', 'c:1', 'a:2', 'a:3']);
    },
  );

  it('make a late caller wait for one task of each other caller, not for all of their tasks', () => {
    const lanes = new FairQueue<Task>();
    push(lanes, 'bulk', ...some(1000, 'a'), ...some(1000, 'b'));
    const three = () => [next(lanes, 'bulk'), next(lanes, 'bulk'), next(lanes, 'bulk')];
    expect(three()).toEqual(['a:0', 'b:0', 'a:1']);
    push(lanes, 'bulk', 'late:0');
    expect(three()).toEqual(['b:1', 'late:0', 'a:2']);
  });

  it('give all callers the same time if the tasks of one have more weight', () => {
    const lanes = new FairQueue<Task>();
    for (const name of some(2, 'long')) lanes.push('bulk', { share: 'long', name, weight: 3 });
    push(lanes, 'bulk', ...some(5, 'short'));
    expect(drain(lanes, 'bulk')).toEqual([
      'long:0',
      'short:0',
      'short:1',
      'short:2',
      'long:1',
      'short:3',
      'short:4',
    ]);
  });

  it('skip an excluded share', () => {
    const lanes = new FairQueue<Task>();
    push(lanes, 'bulk', 'a:0', 'a:1', 'b:0');
    expect(lanes.next('bulk', 'a')?.name).toBe('b:0');
    expect(lanes.next('bulk', 'a')).toBeUndefined();
    expect(drain(lanes, 'bulk')).toEqual(['a:0', 'a:1']);
  });

  it('serve the sources of one share in round-robin order, and the share as one caller', () => {
    const lanes = new FairQueue<Task>();
    const from = (source: string, count: number) => {
      for (let n = 0; n < count; n++)
        lanes.push('interactive', { share: 'logins', source, name: `${source}:${n}`, weight: 1 });
    };
    from('flood', 4);
    from('late', 1);
    push(lanes, 'interactive', 'erp:0', 'erp:1');
    expect(lanes.ahead('interactive', { share: 'logins', source: 'new', weight: 1 })).toBe(2 + 2);
    expect(lanes.ahead('interactive', { share: 'logins', source: 'flood', weight: 1 })).toBe(5 + 2);
    expect(lanes.ahead('interactive', { share: 'other', weight: 1 })).toBe(2);
    expect(drain(lanes, 'interactive')).toEqual([
      'flood:0',
      'erp:0',
      'late:0',
      'erp:1',
      'flood:1',
      'flood:2',
      'flood:3',
    ]);
  });

  it('return every task exactly once, in the order of each caller', () => {
    const tasks = fc.array(fc.tuple(fc.nat(4), fc.boolean()));
    fc.assert(
      fc.property(tasks, (given) => {
        const lanes = new FairQueue<Task>();
        const done: string[] = [];
        for (const [n, [share, takeOne]] of given.entries()) {
          push(lanes, 'bulk', `${share}:${n}`);
          if (takeOne) done.push(next(lanes, 'bulk') ?? '');
        }
        expect(lanes.length('bulk')).toBe(given.length - done.length);
        done.push(...drain(lanes, 'bulk'));
        expect(lanes.length('bulk')).toBe(0);
        const sent = given.map(([share], n) => `${share}:${n}`);
        expect(done.toSorted()).toEqual(sent.toSorted());
        for (const share of new Set(sent.map((name) => name.split(':')[0]))) {
          const own = (names: string[]) => names.filter((name) => name.startsWith(`${share}:`));
          expect(own(done)).toEqual(own(sent));
        }
      }),
    );
  });
});

describe('the estimated work ahead of a new call', () => {
  const queued = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 30 })), { maxLength: 4 });

  it('is the work served before its last task, exact to one task per share', () => {
    const count = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(queued, queued, count, (interactive, bulk, wanted) => {
        const lanes = new FairQueue<Task>();
        for (const [share, amount] of interactive) push(lanes, 'interactive', ...some(amount, `s${share}`));
        for (const [share, amount] of bulk) push(lanes, 'bulk', ...some(amount, `s${share}`));
        const estimated = lanes.ahead('bulk', { share: 's0', weight: wanted });
        push(lanes, 'bulk', ...Array.from({ length: wanted }, (_, n) => `s0:new${n}`));
        const order = [...drain(lanes, 'interactive'), ...drain(lanes, 'bulk')];
        const served = order.slice(0, order.indexOf(`s0:new${wanted - 1}`));
        const before = served.filter((name) => !name.includes('new')).length;
        expect(before).toBeLessThanOrEqual(estimated);
        expect(before).toBeGreaterThanOrEqual(estimated - new Set(bulk.map(([share]) => share)).size);
      }),
    );
  });

  it('is exact to one task of each other source if the sources of a share send tasks of different weight', () => {
    const weight = fc.integer({ min: 1, max: 8 });
    const waiting = fc.array(fc.tuple(fc.nat(4), weight), { maxLength: 40 });
    fc.assert(
      fc.property(waiting, weight, (tasks, own) => {
        const lanes = new FairQueue<Task>();
        for (const [n, [source, heavy]] of tasks.entries())
          lanes.push('interactive', {
            share: 'logins',
            source: String(source),
            name: String(n),
            weight: heavy,
          });
        const attempt = { share: 'logins', source: '0', name: 'attempt', weight: own };
        const estimated = lanes.ahead('interactive', attempt);
        lanes.push('interactive', attempt);
        let before = 0;
        for (let task = lanes.next('interactive'); task && task.name !== 'attempt'; )
          [before, task] = [before + task.weight, lanes.next('interactive')];
        expect(Math.abs(before - estimated)).toBeLessThanOrEqual(8 * 5);
      }),
    );
  });

  it('includes at most as much work of another caller as the call itself has', () => {
    const lanes = new FairQueue<Task>();
    push(lanes, 'bulk', ...some(5000, 'big'));
    expect(lanes.ahead('bulk', { share: 'small', weight: 10 })).toBe(10);
    expect(lanes.ahead('bulk', { share: 'big', weight: 10 })).toBe(5000);
    expect(lanes.ahead('interactive', { share: 'small', weight: 1 })).toBe(0);
  });

  it('is the sum of the weights of the tasks', () => {
    const lanes = new FairQueue<Task>();
    for (const name of some(3, 'long')) lanes.push('interactive', { share: 'long', name, weight: 20 });
    expect(lanes.ahead('interactive', { share: 'long', weight: 20 })).toBe(60);
    expect(lanes.ahead('interactive', { share: 'other', weight: 1 })).toBe(1);
    expect(lanes.aheadInShare('interactive', { share: 'long', weight: 20 })).toBe(60);
    lanes.next('interactive');
    expect(lanes.ahead('interactive', { share: 'long', weight: 20 })).toBe(40);
  });

  it('includes tasks that are reserved as if they were queued, until the reservation is taken back', () => {
    const lanes = new FairQueue<Task>();
    push(lanes, 'interactive', ...some(3, 'a'));
    lanes.reserve('interactive', { share: 'a', weight: 4 });
    lanes.reserve('interactive', { share: 'b', weight: 2 });
    expect(lanes.ahead('interactive', { share: 'a', weight: 1 })).toBe(3 + 4 + 2);
    expect(lanes.ahead('interactive', { share: 'b', weight: 1 })).toBe(2 + 3);
    expect(lanes.ahead('interactive', { share: 'c', weight: 1 })).toBe(1 + 1);
    expect(lanes.ahead('bulk', { share: 'c', weight: 1 })).toBe(3 + 4 + 2);
    expect(drain(lanes, 'interactive')).toEqual(some(3, 'a'));
    lanes.reserve('interactive', { share: 'a', weight: -4 });
    lanes.reserve('interactive', { share: 'b', weight: -2 });
    expect(lanes.ahead('interactive', { share: 'a', weight: 1 })).toBe(0);
    expect(lanes.ahead('bulk', { share: 'a', weight: 1 })).toBe(0);
  });
});
