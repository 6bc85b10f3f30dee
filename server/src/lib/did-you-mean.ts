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

/** Returns the Levenshtein distance: the number of letters to change, add or remove. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (const [at, theirs] of [...other].entries()) {
      const changed = (previous[at] ?? 0) + (letter === theirs ? 0 : 1);
      current.push(Math.min(changed, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? one.length;
}
