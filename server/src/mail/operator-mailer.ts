import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorMailer } from '../operators/operators.ts';
import { type ComposeOptions, composeMail } from './compose.ts';
import type { Mail, Mailer } from './mailer.ts';

/** Seconds before each attempt. */
const waits = [0, 20, 120];

/**
 * Sends mails to operators with the templates of those to users. They are few, so that they wait in memory: `report`
 * gets the answer to one that could not be sent.
 */
export function openOperatorMailer(
  mailer: Mailer,
  composing: ComposeOptions,
  report: (answer: string) => void,
): OperatorMailer {
  return {
    send(kind, { id, name, email }, code) {
      const names = { firstName: name, lastName: null, language: null, principalName: null };
      const user = { userId: id, username: email, email, ...names, code };
      void deliver(composeMail({ id: randomUUID(), kind, users: [user] }, composing), mailer, report);
    },
  };
}

async function deliver(mail: Mail, mailer: Mailer, report: (answer: string) => void): Promise<void> {
  let answer = '';
  for (const seconds of waits) {
    await sleep(seconds * 1000, undefined, { ref: false });
    const result = await mailer.send(mail);
    if (result.state === 'sent') return;
    ({ answer } = result);
    if (result.state === 'refused') break;
  }
  report(answer);
}
