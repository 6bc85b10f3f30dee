// Loaded into a service before it starts: samples its memory. On SIGUSR2 it collects garbage, writes what it has
// sampled since the last time to the file that PROBE names, and starts again.
const { renameSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const everyMs = 5;

let peak = 0;

function sample() {
  peak = Math.max(peak, process.memoryUsage.rss());
}
setInterval(sample, everyMs).unref();

process.on('SIGUSR2', () => {
  sample();
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  writeFileSync(`${process.env.PROBE}.new`, JSON.stringify({ peak, rss, used: heapUsed + external }));
  renameSync(`${process.env.PROBE}.new`, process.env.PROBE);
  peak = 0;
});
