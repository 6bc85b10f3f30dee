/**
 * Splits records into groups of about `usersPerGroup` users. A record is never split, so a group exceeds the number
 * if its last record has many users.
 */
export function* inGroups<Item>(
  records: Iterable<Item>,
  usersPerGroup: number,
  usersOf: (record: Item) => number,
): Generator<Item[]> {
  let group: Item[] = [];
  let users = 0;
  for (const record of records) {
    group.push(record);
    // A record without users counts as one, because it costs a lookup and a write too.
    users += Math.max(usersOf(record), 1);
    if (users < usersPerGroup) continue;
    yield group;
    group = [];
    users = 0;
  }
  if (group.length > 0) yield group;
}
