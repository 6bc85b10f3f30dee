const maxEdits = 2;

/** Returns the known name that is most similar to a misspelled one; undefined if none is similar enough. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const letters = name.toLowerCase();
  const sameLetters = known.find((other) => other.toLowerCase() === letters);
  if (sameLetters !== undefined || name.length < 4 || name.length > 60) return sameLetters;
  const near = known
    .map((other) => ({ other, slips: editDistance(letters, other.toLowerCase()) }))
    .filter(({ other, slips }) => slips <= maxEdits && slips < other.length / 2)
    .toSorted((one, other) => one.slips - other.slips);
  return near[0]?.other;
}

/** Returns the number of letters to change, add or remove, or of neighbours to swap (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (const [at, theirs] of [...other].entries()) {
      const changed = (previous[at] ?? 0) + (letter === theirs ? 0 : 1);
      const isSwap = at > 0 && row > 0 && letter === other[at - 1] && theirs === one[row - 1];
      const swapped = isSwap ? (beforePrevious[at - 1] ?? 0) + 1 : changed;
      current.push(Math.min(changed, swapped, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[other.length] ?? one.length;
}
