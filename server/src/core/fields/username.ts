import type { Faults } from '../faults.ts';
import { isAbsent, readString } from './fields.ts';
import { mapUsername } from './precis/username.ts';

export const usernameMax = 128;

export interface Username {
  readonly asSent: string;
  /** The mapped form under which a username is unique over the whole service. */
  readonly key: string;
}

const faultCodes = {
  empty: 'TEXT_EMPTY',
  space: 'USERNAME_SPACES',
  character: 'USERNAME_CHARACTERS',
  surrogate: 'USERNAME_CHARACTERS',
  bidi: 'USERNAME_DIRECTION',
} as const;

export function readUsername(value: unknown, place: string, faults: Faults): Username | null {
  const asSent = readString(value, place, faults);
  if (isAbsent(asSent)) return null;
  // Mapping can shorten a text, but no accepted character takes more than four units: an early end for huge input.
  if (asSent.length > usernameMax * 4) {
    faults.add(place, 'USERNAME_TOO_LONG', { max: usernameMax });
    return null;
  }
  const result = mapUsername(asSent);
  if ('fault' in result) {
    const variant = result.fault === 'empty' ? 'required' : undefined;
    faults.add(place, faultCodes[result.fault], undefined, variant);
  } else if ([...result.mapped].length > usernameMax)
    faults.add(place, 'USERNAME_TOO_LONG', { max: usernameMax });
  else return { asSent, key: result.mapped };
  return null;
}
