// Node.js loads this file into a service before it starts. On SIGUSR2 it writes the longest stall of the event loop
// since the last signal, in milliseconds, to the file that PROBE names, and resets it.
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');

const everyMs = 5;
const schedule = `/proc/self/task/${process.pid}/schedstat`;
const isCounted = existsSync(schedule);

/** Processor time of this thread, which excludes other processes; wall time if the system does not count it. */
const workedMs = () =>
  isCounted ? Number(readFileSync(schedule, 'latin1').split(' ')[0]) / 1e6 : performance.now();

let last = { wall: performance.now(), worked: workedMs() };
let longest = 0;

function measure() {
  longest = Math.max(longest, Math.min(workedMs() - last.worked, performance.now() - last.wall));
  last = { wall: performance.now(), worked: workedMs() };
}
setInterval(measure, everyMs).unref();

process.on('SIGUSR2', () => {
  measure();
  const file = process.env.PROBE ?? '';
  writeFileSync(`${file}.new`, String(longest));
  renameSync(`${file}.new`, file);
  longest = 0;
  last = { wall: performance.now(), worked: workedMs() };
});
