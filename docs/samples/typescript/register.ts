// Registers users under a principal, all or none: node dist/register.js 1 <users.json
import { text } from 'node:stream/consumers';
import { type NewUser, RecordError } from '@anagrafe/client';
import { anagrafe, fail, report } from './anagrafe.ts';

const principal = Number(process.argv[2]);
if (!Number.isSafeInteger(principal)) fail('usage: node dist/register.js <principal ID> <users.json');

const users: NewUser[] = JSON.parse(await text(process.stdin));
try {
  for (const { ID, Username } of await anagrafe.register(principal, users))
    console.log(`${Username} has the ID ${ID}`);
} catch (error) {
  if (!(error instanceof RecordError)) throw error;
  report('No user was registered', error.message, error.fieldErrors);
  process.exitCode = 1;
}
