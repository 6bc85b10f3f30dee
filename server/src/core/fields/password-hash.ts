import type { Faults } from '../faults.ts';
import { isAbsent, readString } from './fields.ts';
import { findCostOutOfBounds } from './password-hash/cost.ts';
import { parsePasswordHash } from './password-hash/parse.ts';

/**
 * Reads a hash that another system made: the text to store, null where it is absent or refused.
 * No fault repeats any of it but the figures of its cost.
 */
export function readPasswordHash(value: unknown, place: string, faults: Faults): string | null {
  const text = readString(value, place, faults);
  if (isAbsent(text)) return null;
  const hash = parsePasswordHash(text);
  if (!hash) {
    faults.add(place, 'PASSWORD_HASH_INVALID');
    return null;
  }
  const cost = findCostOutOfBounds(hash);
  if (cost) {
    const { parameter, ...figures } = cost;
    faults.add(place, 'PASSWORD_HASH_COST', figures, parameter);
    return null;
  }
  return text;
}
