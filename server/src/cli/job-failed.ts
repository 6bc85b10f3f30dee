import { open } from 'node:fs/promises';
import { ConfigError } from '../config.ts';
import { type ConnectionOptions, reach } from './connection.ts';
import { print, tell } from './output.ts';

interface FailedOptions extends ConnectionOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** The retry kit of a job: laid out to be read, since a person is to correct it. */
export async function failedJob(id: string, { out, json, ...options }: FailedOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  const kit = await anagrafe.jobs.failed(id);
  const text = JSON.stringify(kit, null, 2);
  if (out === undefined) return print(text);
  await writePrivately(out, `${text}\n`);
  if (json) return print(JSON.stringify({ file: out, records: kit.length }));
  tell(`${kit.length} ${kit.length === 1 ? 'record is' : 'records are'} in ${out}.`);
}

/** Names and addresses of people are nobody else's business. */
async function writePrivately(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path} cannot be written (${error.code}): give another file with --out`);
  });
  try {
    // A file that was there keeps its mode unless it is told otherwise.
    await file.chmod(0o600);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
