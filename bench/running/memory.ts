import { readFileSync } from 'node:fs';

const everyMs = 50;

/** Samples the memory of processes; `stop` returns the maximum of each, see `memoryOf`. */
export function watchMemory(pids: readonly number[]): { stop(): number[] } {
  const peaks = pids.map(() => 0);
  const sample = () => {
    for (const [at, pid] of pids.entries()) peaks[at] = Math.max(peaks[at] ?? 0, memoryOf(pid));
  };
  const timer = setInterval(sample, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peaks;
    },
  };
}

/** Returns the resident memory of a process in MB, or 0 where there is no /proc. */
export function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
