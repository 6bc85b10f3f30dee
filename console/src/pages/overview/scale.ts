/** Up to how many lines are drawn above zero. */
const mostSteps = 4;

/** Whole, round figures from zero to the first that is not below the highest: what an axis says. */
export function roundSteps(highest: number): readonly number[] {
  const step = roundUp(Math.max(highest, 1) / mostSteps);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, n) => n * step);
}

/** To 1, 2 or 5 and as many zeros as it takes. */
function roundUp(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const digit = [1, 2, 5].find((one) => one * power >= least) ?? 10;
  return digit * power;
}
