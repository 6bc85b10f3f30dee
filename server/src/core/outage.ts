/** Copies of an error, as pg-boss makes them, keep a property of its own. */
const part = Symbol('part of an outage');

/** Marks a failure that was counted as part of an outage of the database. */
export function markOutage(error: object): void {
  Object.assign(error, { [part]: true });
}

/** Returns true if a failure, or one of its causes, was counted as part of an outage, so that it needs no line in the log. */
export function isPartOfOutage(error: unknown): boolean {
  for (let cause = error; typeof cause === 'object' && cause !== null; cause = causeOf(cause))
    if (part in cause) return true;
  return false;
}

function causeOf(error: object): unknown {
  return (error as { cause?: unknown }).cause;
}
