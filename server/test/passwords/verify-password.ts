import { HashThread } from '../../src/passwords/hash-thread.ts';
import { verificationOf } from '../../src/passwords/work.ts';

const thread = new HashThread();

/** Whether a hash is that of the password, as the service finds out. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const work = verificationOf(password, hash);
  return work !== null && (await thread.ask(work, true)).result === true;
}
