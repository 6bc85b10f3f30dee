// Resets the passwords of users of a principal, all or none: node dist/reset.js 1 <passwords.json
import { text } from 'node:stream/consumers';
import { type NewPassword, RecordError } from '@anagrafe/client';
import { anagrafe, fail, report } from './anagrafe.ts';

const principal = Number(process.argv[2]);
if (!Number.isSafeInteger(principal)) fail('usage: node dist/reset.js <principal ID> <passwords.json');

const passwords: NewPassword[] = JSON.parse(await text(process.stdin));
try {
  await anagrafe.reset(principal, passwords);
  console.log('The passwords were reset.');
} catch (error) {
  if (!(error instanceof RecordError)) throw error;
  report('No password was reset', error.message, error.fieldErrors);
  process.exitCode = 1;
}
