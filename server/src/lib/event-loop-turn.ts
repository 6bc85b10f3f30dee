let startedAt: number | null = null;

/**
 * Returns the time, a value of `performance.now()`, at which the event loop began to handle what it received in its
 * present turn. A request that is read late in a turn, after many others, has waited at least since then.
 */
export function turnStartedAt(): number {
  if (startedAt === null) {
    startedAt = performance.now();
    setImmediate(endTurn);
  }
  return startedAt;
}

function endTurn(): void {
  startedAt = null;
}
