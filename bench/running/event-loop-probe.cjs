// Loaded into a service before it starts. On SIGUSR2 it writes the longest time in milliseconds for which the event loop
// was held since the last signal to the file that PROBE names, and starts again.
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');

const everyMs = 5;
const schedule = `/proc/self/task/${process.pid}/schedstat`;
const isCounted = existsSync(schedule);

/** Processor time of this thread where the system counts it, so that time taken by other processes does not count. */
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
