/** Returns a value that must be present at this point, such as a value of a valid record. A missing one is a bug. */
export function required<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('a required value is missing');
  return value;
}
