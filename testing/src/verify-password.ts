import { HashThread } from '../../server/src/passwords/hash-thread.ts';
import { verificationOf } from '../../server/src/passwords/hash-work.ts';

const thread = new HashThread();
let last: Promise<unknown> = Promise.resolve();

/** Verifies a password against a hash on a hash thread, as the service does. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const work = verificationOf(password, hash);
  if (work === null) return false;
  // A thread takes one password at a time.
  const verified = last.then(() => thread.run(work));
  last = verified.catch(() => undefined);
  return (await verified).result === true;
}
