import type { registrations } from '../people.ts';

export type Registration = ReturnType<typeof registrations>[number];

/** A service whose rate of registrations is measured while its `ping` path is requested periodically. */
export interface Contestant {
  readonly name: string;
  readonly version?: string;
  /** Description of how the users are sent, such as "in one call". */
  readonly way: string;
  /** Number of users in a round. */
  readonly users: number;
  readonly url: string;
  /** Path of the cheapest request. */
  readonly ping: string;
  register(users: readonly Registration[]): Promise<void>;
}
