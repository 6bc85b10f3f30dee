// Plain JavaScript, since a thread begins with a file that Node.js itself can read: the source in a test, the same in
// a release.
import { pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { hashSync, verifySync as verifyArgon2 } from '@node-rs/argon2';
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt';

/** @typedef {import('./hash-thread.ts').Asked} Asked */
/** @typedef {import('./work.ts').Work} Work */

/** After so many urgent ones in a row, one that waits has its turn. */
const urgentRun = 16;

/** @type {Asked[]} */
const urgent = [];
/** @type {Asked[]} */
const patient = [];
let urgentTurns = 0;

/** @param {Asked} asked */
function put(asked) {
  (asked.urgent ? urgent : patient).push(asked);
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

/**
 * @param {Work} work
 * @returns {string | boolean}
 */
function resultOf(work) {
  switch (work.kind) {
    case 'hash':
      return hashSync(work.password, work.cost);
    case 'verify argon2':
      return verifyArgon2(work.hash, work.password);
    case 'verify bcrypt':
      return verifyBcrypt(work.password, work.hash);
    case 'verify pbkdf2': {
      const { password, salt, iterations, key, digest } = work;
      return timingSafeEqual(pbkdf2Sync(password, salt, iterations, key.length, digest), key);
    }
  }
}

/** @param {Asked} asked */
function done({ number, work }) {
  const start = performance.now();
  try {
    const result = resultOf(work);
    return { number, result, seconds: (performance.now() - start) / 1000 };
  } catch (error) {
    return { number, failure: String(error) };
  }
}

if (!parentPort) throw new Error('this is the program of a thread');
const port = parentPort;
port.on('message', (first) => {
  put(first);
  for (let asked = next(); asked; asked = next()) port.postMessage(done(asked));
});
