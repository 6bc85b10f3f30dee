import { codes, type Fault } from '../codes.ts';
import type { Faults } from '../faults.ts';
import type { Draft } from './draft.ts';

export interface AppliedUser {
  readonly id: number;
  readonly username: string;
  readonly email: string | null;
  readonly operation: 'register' | 'reset' | 'state';
}

/** What became of one record. */
export interface Outcome {
  readonly id: number | null;
  /** Why the record was refused; null where it was applied. */
  readonly refusal: Fault | null;
  readonly faults: Faults;
  /** In the order sent. */
  readonly users: readonly AppliedUser[];
}

/** What became of a record, and which one of its call it is, from 0. */
export interface PlacedOutcome extends Outcome {
  readonly position: number;
}

export function applied(id: number | null, users: readonly AppliedUser[], draft: Draft): Outcome {
  return { id, refusal: null, faults: draft.faults, users };
}

export function refused(draft: Draft, refusal: Fault = mainFault(draft.faults)): Outcome {
  return { id: draft.sentId, refusal, faults: draft.faults, users: [] };
}

/** The one code that stands for a record's faults. */
function mainFault(faults: Faults): Fault {
  const { firstOfKind } = faults;
  const missing = firstOfKind.get('PRINCIPAL_NOT_FOUND');
  if (missing) return missing;
  const [first] = firstOfKind.values();
  if (first && firstOfKind.size === 1 && codes[first.code] === 'record') return first;
  return { code: faults.ofUsersAlone ? 'INVALID_USERS' : 'INVALID_RECORD' };
}
