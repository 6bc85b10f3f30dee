import { ApiError } from '../lib/field-errors.ts';
import { isObject, usersOf } from '../lib/request-fields.ts';
import type { Hasher } from '../passwords/hash-pool.ts';
import type { HashReservation } from '../passwords/hash-reservation.ts';
import { demandFor } from '../records/apply.ts';

/** A call that may be refused before its sender is authenticated. */
export interface EarlyCall {
  /** The body, which is not validated yet. */
  readonly body: Buffer;
  /** The client that the call probably belongs to; null in protected mode. */
  readonly clientId: number | null;
  /** When the call began to wait, a value of `performance.now()`. */
  readonly waitsSince: number;
}

/** The places of an admitted call in the hash queue, and the client that they are reserved for. */
export interface EarlyReservation {
  readonly clientId: number | null;
  readonly places: HashReservation;
}

/**
 * Admits the passwords of a call of `irs/update` or `irs/insert` to the hash queue before its records are checked.
 * Returns the error `OVERLOADED` if they would wait too long. Otherwise returns their places in the queue, so that the
 * calls that arrive while this one is authenticated and checked are not admitted to the same places; null for a call
 * without passwords.
 */
export function admitEarly(
  { body, clientId, waitsSince }: EarlyCall,
  hasher: Pick<Hasher, 'reserve'>,
): ApiError | EarlyReservation | null {
  const count = passwordsIn(body);
  if (count === 0) return null;
  const places = hasher.reserve(String(clientId), waitsSince);
  try {
    places.admit(demandFor(count));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return { clientId, places };
}

/** Counts the passwords in plaintext that are hashed if all records are valid; 0 if the body is no array of objects. */
function passwordsIn(body: Buffer): number {
  const records = parse(body);
  if (!Array.isArray(records) || !records.every(isObject)) return 0;
  return records.flatMap(usersOf).filter(hasPassword).length;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function hasPassword(user: unknown): boolean {
  return isObject(user) && typeof user.Password === 'string' && user.Password !== '';
}
