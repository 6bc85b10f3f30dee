/** So many letters may be wrong, missing or too many. */
const slipsMax = 2;

/** The name that was probably meant by one that is not known. */
export function meantBy(name: string, known: readonly string[]): string | undefined {
  const letters = name.toLowerCase();
  const sameLetters = known.find((other) => other.toLowerCase() === letters);
  if (sameLetters !== undefined || name.length < 4 || name.length > 60) return sameLetters;
  const near = known
    .map((other) => ({ other, slips: slipsBetween(letters, other.toLowerCase()) }))
    .filter(({ other, slips }) => slips <= slipsMax && slips < other.length / 2)
    .toSorted((one, other) => one.slips - other.slips);
  return near[0]?.other;
}

/** Letters to change, to add or to leave out until one text is the other. */
function slipsBetween(one: string, other: string): number {
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
