// Sends many records, one on each line of a file, and keeps what failed: node dist/records.js records.ndjson batch-17
// Run again with the same file and key, it carries on and does nothing twice.
import { readFile, writeFile } from 'node:fs/promises';
import type { UpdateRecord } from '@anagrafe/client';
import { anagrafe, fail, report } from './anagrafe.ts';

const [file, idempotencyKey] = process.argv.slice(2);
if (!file || !idempotencyKey) fail('usage: node dist/records.js <file> <key>');

const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
const records: UpdateRecord[] = lines.map((line) => JSON.parse(line));
const { tuples } = await anagrafe.update(records, { idempotencyKey });
console.log(`${tuples.filter(({ Item3 }) => Item3).length} of ${tuples.length} records were applied.`);

// The tenth tuple belongs to the tenth line.
const failed = lines.filter((_, place) => !tuples[place]?.Item3);
for (const [place, { Item2, Item3, Item4, Item5 }] of tuples.entries())
  if (!Item3) report(`line ${place + 1}`, `${Item4} (${Item2})`, Item5);
if (failed.length > 0) {
  await writeFile(`${file}.failed`, `${failed.join('\n')}\n`);
  console.error(`Correct ${file}.failed and send it with a new key.`);
  process.exitCode = 1;
}
