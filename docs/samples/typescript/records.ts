// Sends many records, one per line of a file, and saves the failed lines: node dist/records.js records.ndjson batch-17
// Run it again with the same file and key to resume: no record is applied twice.
import { readFile, writeFile } from 'node:fs/promises';
import type { UpdateRecord } from '@anagrafe/client';
import { anagrafe, fail, report } from './anagrafe.ts';

const [file, idempotencyKey] = process.argv.slice(2);
if (!file || !idempotencyKey) fail('usage: node dist/records.js <file> <key>');

const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
const records: UpdateRecord[] = lines.map((line) => JSON.parse(line));
const { tuples } = await anagrafe.update(records, { idempotencyKey });
console.log(`${tuples.filter(({ Item3 }) => Item3).length} of ${tuples.length} records were applied.`);

// Tuples have the order of the lines.
const failed = lines.filter((_, index) => !tuples[index]?.Item3);
for (const [index, { Item2, Item3, Item4, Item5 }] of tuples.entries())
  if (!Item3) report(`line ${index + 1}`, `${Item4} (${Item2})`, Item5);
if (failed.length > 0) {
  await writeFile(`${file}.failed`, `${failed.join('\n')}\n`);
  console.error(`Correct ${file}.failed and send it with a new key.`);
  process.exitCode = 1;
}
