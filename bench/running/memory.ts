import { readFileSync } from 'node:fs';

const everyMs = 200;

/** Samples the resident memory of processes; `stop` returns the maximum of each in MB, or 0 where there is no /proc. */
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

function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
