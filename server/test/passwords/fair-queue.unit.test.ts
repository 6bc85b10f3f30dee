import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/passwords/fair-queue.ts';

interface Task {
  readonly share: string;
  readonly source?: string;
  readonly name: string;
  readonly weight: number;
}

function newQueue(): FairQueue<Task> {
  return new FairQueue<Task>(
    ({ share }) => share,
    () => new FairQueue<Task>(({ source = '' }) => source),
  );
}

/** Adds tasks of weight 1. The part of a name before the colon is the share of the task. */
function push(queue: FairQueue<Task>, ...names: string[]): void {
  for (const name of names) queue.push({ share: name.split(':')[0] ?? '', name, weight: 1 });
}

function drain(queue: FairQueue<Task>): string[] {
  const order: string[] = [];
  for (let task = queue.shift(); task; task = queue.shift()) order.push(task.name);
  return order;
}

const some = (count: number, share: string) => Array.from({ length: count }, (_, n) => `${share}:${n}`);

describe('the fair queue', () => {
  it('returns no task if none is queued', () => {
    const queue = newQueue();
    expect(queue.shift()).toBeUndefined();
    expect(queue.length).toBe(0);
  });

  it('serves the callers in round-robin order', () => {
    const queue = newQueue();
    push(queue, ...some(4, 'a'), ...some(1, 'b'), ...some(2, 'c'));
    expect(drain(queue)).toEqual(['a:0', 'b:0', 'c:0', 'a:1', 'c:1', 'a:2', 'a:3']);
  });

  it('makes a late caller wait for one task of each other caller, not for all of their tasks', () => {
    const queue = newQueue();
    push(queue, ...some(1000, 'a'), ...some(1000, 'b'));
    const three = () => [queue.shift()?.name, queue.shift()?.name, queue.shift()?.name];
    expect(three()).toEqual(['a:0', 'b:0', 'a:1']);
    push(queue, 'late:0');
    expect(three()).toEqual(['b:1', 'late:0', 'a:2']);
  });

  it('gives all callers the same time if the tasks of one have more weight', () => {
    const queue = newQueue();
    for (const name of some(2, 'long')) queue.push({ share: 'long', name, weight: 3 });
    push(queue, ...some(5, 'short'));
    expect(drain(queue)).toEqual(['long:0', 'short:0', 'short:1', 'short:2', 'long:1', 'short:3', 'short:4']);
  });

  it('skips an excluded share', () => {
    const queue = newQueue();
    push(queue, 'a:0', 'a:1', 'b:0');
    expect(queue.shift('a')?.name).toBe('b:0');
    expect(queue.shift('a')).toBeUndefined();
    expect(drain(queue)).toEqual(['a:0', 'a:1']);
  });

  it('serves the sources of one share in round-robin order, and the share as one caller', () => {
    const queue = newQueue();
    const from = (source: string, count: number) => {
      for (let n = 0; n < count; n++)
        queue.push({ share: 'logins', source, name: `${source}:${n}`, weight: 1 });
    };
    from('flood', 4);
    from('late', 1);
    push(queue, 'erp:0', 'erp:1');
    expect(drain(queue)).toEqual(['flood:0', 'erp:0', 'late:0', 'erp:1', 'flood:1', 'flood:2', 'flood:3']);
  });

  it('returns every task exactly once, in the order of each caller', () => {
    const tasks = fc.array(fc.tuple(fc.nat(4), fc.boolean()));
    fc.assert(
      fc.property(tasks, (given) => {
        const queue = newQueue();
        const done: string[] = [];
        for (const [n, [share, takeOne]] of given.entries()) {
          push(queue, `${share}:${n}`);
          if (takeOne) done.push(queue.shift()?.name ?? '');
        }
        expect(queue.length).toBe(given.length - done.length);
        done.push(...drain(queue));
        expect(queue.length).toBe(0);
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
