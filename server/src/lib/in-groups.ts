/**
 * Splits items into groups of about `groupWeight`. An item is never split, so a group exceeds the weight if its last item
 * is large. An item without weight counts as one: each costs a lookup and a write.
 */
export function* inGroups<Item>(
  items: Iterable<Item>,
  groupWeight: number,
  weightOf: (item: Item) => number,
): Generator<Item[]> {
  let group: Item[] = [];
  let weight = 0;
  for (const item of items) {
    group.push(item);
    weight += weightOf(item) || 1;
    if (weight < groupWeight) continue;
    yield group;
    group = [];
    weight = 0;
  }
  if (group.length > 0) yield group;
}
