import type { Figures } from '../codes.ts';
import { Refusal } from '../faults.ts';
import { type Fields, isObject } from '../fields/fields.ts';
import { Turns } from '../turns.ts';
import type { Draft } from './draft.ts';
import type { Operation } from './operation.ts';

export interface BatchLimits {
  readonly records: number;
  readonly users: number;
}

/** What a caller can do instead of sending so much at once. */
interface WayOut {
  readonly variant: 'answered' | 'job';
  readonly figures?: Figures;
}

/** The elements of a call's body, once it is clear that they can be worked on one by one. */
export function readBatch(body: unknown, limits: BatchLimits, way: WayOut): readonly Fields[] {
  if (!Array.isArray(body)) throw new Refusal('INVALID_BODY', { variant: 'array' });
  if (body.length === 0) throw new Refusal('INVALID_BODY', { variant: 'empty' });
  if (body.length > limits.records) throw tooLarge(limits, way);
  let users = 0;
  for (const [position, element] of body.entries()) {
    if (!isObject(element)) throw new Refusal('INVALID_BODY', { variant: 'element', figures: { position } });
    if (Array.isArray(element.Users)) users += element.Users.length;
  }
  if (users > limits.users) throw tooLarge(limits, way);
  return body;
}

function tooLarge(limits: BatchLimits, { variant, figures }: WayOut): Refusal {
  return new Refusal('BATCH_TOO_LARGE', {
    variant,
    figures: { records: limits.records, users: limits.users, ...figures },
  });
}

/** Reads records one by one, without holding the event loop for long. */
export async function readDrafts<D extends Draft>(
  records: readonly Fields[],
  operation: Operation<D>,
): Promise<D[]> {
  const turns = new Turns();
  const drafts: D[] = [];
  for (const fields of records) {
    drafts.push(await operation.read(fields, turns));
    if (turns.over) await turns.next();
  }
  return drafts;
}
