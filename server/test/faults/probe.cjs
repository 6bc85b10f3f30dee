// Node.js loads this file into a service before it starts. On SIGUSR2 it collects garbage and writes the bytes that the
// heap and the buffers use to the file that PROBE names.
const { renameSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${process.env.PROBE}.new`, String(heapUsed + external));
  renameSync(`${process.env.PROBE}.new`, process.env.PROBE);
});
