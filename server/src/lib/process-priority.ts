import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Gives a process, by default this one, less processor time while others need it. Its priority stays as it is if the
 * system does not permit the change, or if the process has ended.
 */
export function lowerPriority(pid = 0): void {
  try {
    if (getPriority(pid) < PRIORITY_BELOW_NORMAL) setPriority(pid, PRIORITY_BELOW_NORMAL);
  } catch {}
}
