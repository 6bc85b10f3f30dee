// Loaded into a service before it starts: watches its event loop and its memory from inside. On SIGUSR2 it collects
// garbage, writes what it has seen since the last time to the file that PROBE names, and begins anew.
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const everyMs = 5;
const schedule = `/proc/self/task/${process.pid}/schedstat`;
const counted = existsSync(schedule);

// Of this thread alone, where the system tells: a neighbour that takes the processor away is no fault of the service.
const workedMs = () =>
  counted ? Number(readFileSync(schedule, 'latin1').split(' ')[0]) / 1e6 : performance.now();

let last = { wall: performance.now(), worked: workedMs() };
let longest = 0;
let peak = 0;

function look() {
  const wall = performance.now() - last.wall;
  longest = Math.max(longest, Math.min(workedMs() - last.worked, wall));
  peak = Math.max(peak, process.memoryUsage.rss());
  last = { wall: performance.now(), worked: workedMs() };
}
setInterval(look, everyMs).unref();

process.on('SIGUSR2', () => {
  look();
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const seen = { longest, peak, rss, used: heapUsed + external };
  writeFileSync(`${process.env.PROBE}.new`, JSON.stringify(seen));
  renameSync(`${process.env.PROBE}.new`, process.env.PROBE);
  longest = 0;
  peak = 0;
  last = { wall: performance.now(), worked: workedMs() };
});
