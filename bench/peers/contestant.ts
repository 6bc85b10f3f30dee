import type { registrations } from '../people.ts';

export type Registration = ReturnType<typeof registrations>[number];

/** A service that registers users while it is asked whether it lives. */
export interface Contestant {
  readonly name: string;
  readonly version?: string;
  /** How the users are sent, such as "in one call". */
  readonly way: string;
  /** How many users it is sent in a round. */
  readonly users: number;
  readonly url: string;
  /** The path that costs nothing but the answer. */
  readonly ping: string;
  register(users: readonly Registration[]): Promise<void>;
}
