import { Refusal } from '../faults.ts';
import { type Fields, isObject } from '../fields/fields.ts';

import { Turns } from '../turns.ts';

export interface BatchLimits {
  readonly records: number;
  readonly users: number;
}

/** The elements of a call's body, once it is clear that they can be worked on one by one. */
export function readBatch(body: unknown, limits: BatchLimits): readonly Fields[] {
  if (!Array.isArray(body)) throw new Refusal('INVALID_BODY', { variant: 'array' });
  if (body.length === 0) throw new Refusal('INVALID_BODY', { variant: 'empty' });
  if (body.length > limits.records) throw tooLarge(limits);
  let users = 0;
  for (const [position, element] of body.entries()) {
    if (!isObject(element)) throw new Refusal('INVALID_BODY', { variant: 'element', figures: { position } });
    if (Array.isArray(element.Users)) users += element.Users.length;
  }
  if (users > limits.users) throw tooLarge(limits);
  return body;
}

function tooLarge(limits: BatchLimits): Refusal {
  return new Refusal('BATCH_TOO_LARGE', { figures: { records: limits.records, users: limits.users } });
}

/** Reads the records of a call one by one, without holding the event loop for long. */
export async function readDrafts<D>(
  body: unknown,
  limits: BatchLimits,
  read: (fields: Fields, turns: Turns) => Promise<D>,
): Promise<D[]> {
  const turns = new Turns();
  const drafts: D[] = [];
  for (const fields of readBatch(body, limits)) {
    drafts.push(await read(fields, turns));
    if (turns.over) await turns.next();
  }
  return drafts;
}
