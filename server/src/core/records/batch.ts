import type { Figures } from '../codes.ts';
import { type ErrorBudget, Refusal } from '../faults.ts';
import type { Fields } from '../fields/fields.ts';
import type { RecordList } from '../json/record-list.ts';
import { Turns } from '../turns.ts';
import type { Draft } from './draft.ts';
import type { Check, Operation } from './operation.ts';

export interface BatchLimits {
  readonly records: number;
  readonly users: number;
}

/** What a caller can do instead of sending so much at once. */
interface WayOut {
  readonly variant: 'answered' | 'job';
  readonly figures?: Figures;
}

/** The records of a call, once it is clear that they can be worked on one by one. */
export function readBatch(body: RecordList | null, limits: BatchLimits, way: WayOut): RecordList {
  if (!body) throw new Refusal('INVALID_BODY', { variant: 'array' });
  if (body.count === 0) throw new Refusal('INVALID_BODY', { variant: 'empty' });
  if (body.count > limits.records) throw tooLarge(limits, way);
  const position = body.firstStranger;
  if (position >= 0) throw new Refusal('INVALID_BODY', { variant: 'element', figures: { position } });
  if (body.users > limits.users) throw tooLarge(limits, way);
  return body;
}

function tooLarge(limits: BatchLimits, { variant, figures }: WayOut): Refusal {
  return new Refusal('BATCH_TOO_LARGE', {
    variant,
    figures: { records: limits.records, users: limits.users, ...figures },
  });
}

/**
 * Reads records one by one and checks them against the store, without holding the event loop for long. The budget
 * bounds the errors that all records of the call keep.
 */
export async function checkRecords<D extends Draft>(
  records: Iterable<Fields> | AsyncIterable<Fields>,
  operation: Operation<D>,
  check: Check<D>,
  budget: ErrorBudget,
): Promise<D[]> {
  const turns = new Turns();
  const drafts: D[] = [];
  for await (const fields of records) {
    const draft = await operation.read(fields, budget.newFaults(), turns);
    budget.limit(draft.faults);
    drafts.push(draft);
    if (turns.over) await turns.next();
  }
  await check.run(drafts);
  for (const { faults } of drafts) budget.limit(faults);
  return drafts;
}

export function positionsOf(list: RecordList): number[] {
  return Array.from({ length: list.count }, (_, position) => position);
}

/** The records at some positions, one at a time. */
export async function* recordsAt(list: RecordList, positions: readonly number[]): AsyncGenerator<Fields> {
  for (const position of positions) yield list.fields(position);
}
