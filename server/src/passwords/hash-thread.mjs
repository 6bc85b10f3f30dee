// Plain JavaScript, since a thread begins with a file that Node.js itself can read: the source in a test, the same in
// a release.
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { hashSync } from '@node-rs/argon2';

/** @typedef {import('./hash-thread.ts').Work} Work */

/** After so many urgent ones in a row, one that waits has its turn. */
const urgentRun = 16;

/** @type {Work[]} */
const urgent = [];
/** @type {Work[]} */
const patient = [];
let urgentTurns = 0;

/** @param {Work} work */
function put(work) {
  (work.urgent ? urgent : patient).push(work);
}

/** Looks for what has come meanwhile, so that something urgent waits for no more than the work at hand. */
function next() {
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (!received) break;
    put(received.message);
  }
  const yields = patient.length > 0 && urgentTurns >= urgentRun;
  if (urgent.length > 0 && !yields) {
    urgentTurns++;
    return urgent.shift();
  }
  urgentTurns = 0;
  return patient.shift();
}

/** @param {Work} work */
function done({ number, password, cost }) {
  const start = performance.now();
  try {
    const hash = hashSync(password, cost);
    return { number, hash, seconds: (performance.now() - start) / 1000 };
  } catch (error) {
    return { number, failure: String(error) };
  }
}

if (!parentPort) throw new Error('this is the program of a thread');
const port = parentPort;
port.on('message', (first) => {
  put(first);
  for (let work = next(); work; work = next()) port.postMessage(done(work));
});
