import { get } from 'node:http';

/** Often enough to see a stall, seldom enough not to be the load that is measured. */
const everyMs = 100;

/** Asks for the health of the service over and over; says how long the answers took. */
export function watchHealth(url: string): { stop(): { longest: number; p99: number; asked: number } } {
  const times: number[] = [];
  const timer = setInterval(() => {
    const start = performance.now();
    get(`${url}/health/live`, (response) => {
      response.resume().once('end', () => times.push(performance.now() - start));
    }).once('error', () => times.push(Number.POSITIVE_INFINITY));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      times.sort((one, other) => one - other);
      return {
        longest: times.at(-1) ?? 0,
        p99: times[Math.floor(times.length * 0.99)] ?? 0,
        asked: times.length,
      };
    },
  };
}
