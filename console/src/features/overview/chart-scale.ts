/** The maximum number of grid lines above zero. */
const maxSteps = 4;

/** Returns the labels of the axis: round integers from zero to the first one that is not below `highest`. */
export function roundSteps(highest: number): readonly number[] {
  const step = roundUp(Math.max(highest, 1) / maxSteps);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, n) => n * step);
}

/** Rounds up to 1, 2 or 5 times a power of ten; the result is at least 1. */
function roundUp(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const digit = [1, 2, 5].find((one) => one * power >= least) ?? 10;
  return digit * power;
}
