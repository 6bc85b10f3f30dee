import { HashThread } from '../../src/passwords/hash-thread.ts';
import { verificationOf } from '../../src/passwords/hash-work.ts';

const thread = new HashThread();

/** Verifies a password against a hash on a hash thread, as the service does. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const work = verificationOf(password, hash);
  return work !== null && (await thread.ask(work, true)).result === true;
}
