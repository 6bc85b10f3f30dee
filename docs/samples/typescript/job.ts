// Sends a file of records as a job, polls it, and saves the failed records: node dist/job.js records.ndjson batch-17
// Run it again with the same file and key to resume: the key returns the same job.
import { readFile, writeFile } from 'node:fs/promises';
import type { Job, UpdateRecord } from '@anagrafe/client';
import { anagrafe, fail, report } from './anagrafe.ts';

const [file, idempotencyKey] = process.argv.slice(2);
if (!file || !idempotencyKey) fail('usage: node dist/job.js <file> <key>');

const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
const records: UpdateRecord[] = lines.map((line) => JSON.parse(line));
const { ID } = await anagrafe.jobs.submit('update', records, { idempotencyKey });

const onProgress = ({ State, UsersDone, Users }: Job) =>
  console.log(`job ${ID}: ${State}, ${UsersDone} of ${Users} users`);
const { RecordsFailed } = await anagrafe.jobs.wait(ID, { onProgress });

if (RecordsFailed > 0) {
  const failed = await anagrafe.jobs.failed(ID);
  for (const { Position, FieldErrors } of failed)
    report(`line ${Position + 1}`, 'This record was not applied.', FieldErrors);
  await writeFile(`${file}.retry`, JSON.stringify(failed, null, 2));
  console.error(`Correct ${file}.retry, add the passwords, and send it with a new key.`);
  process.exitCode = 1;
}
