/** ISO 8601 date, or date and time. A time without a zone is UTC. */
const dateSyntax = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Reads a date of a request. Returns null for a text that is none, and for a day that does not exist. */
export function readDate(text: string): Date | null {
  if (!dateSyntax.test(text)) return null;
  const zoned = /T/.test(text) && !/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? `${text}Z` : text;
  const date = new Date(zoned);
  // `Date` turns a day that does not exist, such as 31 April, into a day of the next month.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const exists = !Number.isNaN(date.getTime()) && day.toISOString().slice(0, 10) === text.slice(0, 10);
  return exists ? date : null;
}
