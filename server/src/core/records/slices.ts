/** Cuts records into slices of so many users each, and a little more where the last record has many. */
export function* inSlices<Item>(
  records: Iterable<Item>,
  usersAtOnce: number,
  usersOf: (record: Item) => number,
): Generator<Item[]> {
  let slice: Item[] = [];
  let users = 0;
  for (const record of records) {
    slice.push(record);
    // A record without users costs a look-up and a write all the same.
    users += Math.max(usersOf(record), 1);
    if (users < usersAtOnce) continue;
    yield slice;
    slice = [];
    users = 0;
  }
  if (slice.length > 0) yield slice;
}
