import { get } from 'node:http';

/** Often enough to see a stall, seldom enough not to be the load that is measured. */
const everyMs = 100;

/** How long answers took, in milliseconds. */
export interface Latency {
  readonly longest: number;
  readonly p99: number;
  readonly asked: number;
}

/** Asks for the health of a service over and over; says how long the answers took. */
export function watchHealth(
  url: string,
  path = '/health/live',
): { stop(): Latency & { readonly times: readonly number[] } } {
  const times: number[] = [];
  const timer = setInterval(() => {
    const start = performance.now();
    get(url + path, (response) => {
      response.resume().once('end', () => times.push(performance.now() - start));
    }).once('error', () => times.push(Number.POSITIVE_INFINITY));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return { ...latencyOf(times), times };
    },
  };
}

export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((one, other) => one - other);
  return {
    longest: sorted.at(-1) ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    asked: sorted.length,
  };
}
