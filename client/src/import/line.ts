import type { Anagrafe } from '../anagrafe.ts';

/** A service that is spoken to, until the signal comes if there is one. */
export interface Line {
  readonly anagrafe: Anagrafe;
  readonly signal?: AbortSignal | undefined;
}
