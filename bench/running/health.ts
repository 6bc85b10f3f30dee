import { get } from 'node:http';

/** Short enough to detect a stall, and long enough to cause no noticeable load. */
const everyMs = 100;

/** Response times in milliseconds, and the number of requests. */
export interface Latency {
  readonly longest: number;
  readonly p99: number;
  readonly asked: number;
}

/** Requests a path periodically until `stop`, which returns the response times; an error counts as infinity. */
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
