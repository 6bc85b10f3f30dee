import type { Anagrafe } from '../anagrafe.ts';

/** The client that an import uses, and the signal that aborts its calls. */
export interface Line {
  readonly anagrafe: Anagrafe;
  readonly signal?: AbortSignal | undefined;
}
