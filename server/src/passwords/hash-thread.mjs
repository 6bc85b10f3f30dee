// The entry point of the worker threads. It is plain JavaScript, because Node.js loads it directly, from the source in
// tests and from the bundle in a release.
import { pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { hashSync, verifySync as verifyArgon2 } from '@node-rs/argon2';
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt';

/** @typedef {import('./hash-thread.ts').HashRequest} HashRequest */
/** @typedef {import('./hash-work.ts').Work} Work */

/** The number of consecutive urgent requests after which one normal request runs, so that it does not starve. */
const maxUrgentRun = 16;

/** @type {HashRequest[]} */
const urgent = [];
/** @type {HashRequest[]} */
const normal = [];
let urgentRun = 0;

/** @param {HashRequest} asked */
function enqueue(asked) {
  (asked.urgent ? urgent : normal).push(asked);
}

/** Receives pending messages first, so that an urgent request waits for the current hash at most. */
function next() {
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (!received) break;
    enqueue(received.message);
  }
  const normalIsDue = normal.length > 0 && urgentRun >= maxUrgentRun;
  if (urgent.length > 0 && !normalIsDue) {
    urgentRun++;
    return urgent.shift();
  }
  urgentRun = 0;
  return normal.shift();
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

/** @param {HashRequest} asked */
function answer({ number, work }) {
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
  enqueue(first);
  for (let asked = next(); asked; asked = next()) port.postMessage(answer(asked));
});
