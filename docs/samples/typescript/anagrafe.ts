// The client that the other programs in this folder use.
import { Anagrafe, type FieldError } from '@anagrafe/client';

const { ANAGRAFE_URL: url, ANAGRAFE_KEY } = process.env;
if (!url || !ANAGRAFE_KEY) fail('Set ANAGRAFE_URL and ANAGRAFE_KEY (<public key>.<secret key>).');
const [publicKey, secretKey] = ANAGRAFE_KEY.trim().split('.');

/**
 * The client retries a call with the same key and the same bytes: after a connection error, after a transient status
 * such as 503, and if a record has no final result. These are the limits of one call.
 */
export const anagrafe = new Anagrafe({
  url,
  publicKey,
  secretKey,
  timeoutMs: 60_000,
  retries: 7,
  totalTimeoutMs: 300_000,
});

process.on('uncaughtException', ({ message }) => fail(`Request failed: ${message}`));

export function report(
  label: string,
  message: string,
  fieldErrors: Record<string, readonly FieldError[]>,
): void {
  console.error(`${label}: ${message}`);
  for (const [path, errors] of Object.entries(fieldErrors))
    for (const { code, message } of errors) console.error(`  ${path}: ${message} (${code})`);
}

export function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
