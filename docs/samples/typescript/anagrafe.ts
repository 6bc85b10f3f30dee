// The service that the programs beside it speak to.
import { Anagrafe, type FieldError } from '@anagrafe/client';

const { ANAGRAFE_URL: url, ANAGRAFE_KEY } = process.env;
if (!url || !ANAGRAFE_KEY) fail('Set ANAGRAFE_URL, and ANAGRAFE_KEY to <public>.<secret>.');
const [publicKey, secretKey] = ANAGRAFE_KEY.trim().split('.');

/**
 * The client sends a call again by itself, with the same key and the same bytes, for as long as it is patient: after a
 * broken connection, when it was told to come back later, and when a record was not tried.
 */
export const anagrafe = new Anagrafe({
  url,
  publicKey,
  secretKey,
  timeoutMs: 60_000,
  retries: 7,
  totalTimeoutMs: 300_000,
});

// What came of a call that was not done is said in one line.
process.on('uncaughtException', ({ message }) => fail(`The call was not done: ${message}`));

export function report(what: string, sentence: string, faults: Record<string, readonly FieldError[]>): void {
  console.error(`${what}: ${sentence}`);
  for (const [place, found] of Object.entries(faults))
    for (const { code, message } of found) console.error(`  ${place}: ${message} (${code})`);
}

export function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
