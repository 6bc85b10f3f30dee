// The entry point of the worker threads. It is plain JavaScript, because Node.js loads it directly, from the source in
// tests and from the bundle in a release.
import { pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync as verifyArgon2 } from '@node-rs/argon2';
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt';

/** @typedef {import('./hash-work.ts').Work} Work */

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

/**
 * @param {Work} work
 * @returns {import('./hash-thread.ts').Answer}
 */
function answer(work) {
  const start = performance.now();
  try {
    const result = resultOf(work);
    return { result, seconds: (performance.now() - start) / 1000 };
  } catch (error) {
    return { failure: String(error) };
  }
}

if (!parentPort) throw new Error('this file must run as a worker thread');
const port = parentPort;
port.on('message', (work) => port.postMessage(answer(work)));
