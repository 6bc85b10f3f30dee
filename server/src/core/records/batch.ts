import { Refusal } from '../faults.ts';
import { type Fields, isObject } from '../fields/fields.ts';

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
