import { ApiError } from './field-errors.ts';

/**
 * Returns the error of a call that is refused because of overload, and could be accepted after `seconds`.
 * `Retry-After` is a random time between that and twice as long: otherwise all refused senders would return at the same
 * moment, and most of them would be refused again.
 */
export function overloaded(seconds: number, cause: Error, random: () => number = Math.random): ApiError {
  const retryAfterSeconds = Math.ceil(seconds * (1 + random()));
  return new ApiError('OVERLOADED', {
    figures: { seconds: retryAfterSeconds },
    retryAfterSeconds,
    cause,
  });
}
