import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credential } from '@anagrafe/testing/admin';
import { atEnd } from '@anagrafe/testing/endings';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';

/** A service with one principal and one API client, and the environment variables that a sample needs. */
export interface Office {
  readonly service: TestService;
  readonly principal: number;
  readonly headers: Record<string, string>;
  readonly settings: { readonly ANAGRAFE_URL: string; readonly ANAGRAFE_KEY: string };
}

export async function openOffice(): Promise<Office> {
  const service = await startTestService({ ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1' });
  const [principal = 0] = await insertPrincipals(service, 1);
  const headers = await credential(service);
  const ANAGRAFE_KEY = `${headers.SyncPublicKey}.${headers.SyncSecretKey}`;
  return { service, principal, headers, settings: { ANAGRAFE_URL: service.url, ANAGRAFE_KEY } };
}

export async function canSignIn(
  { service }: Office,
  Username: string,
  Password: string = passwords[0],
): Promise<boolean> {
  return (await service.call('login', { Username, Password })).status === 200;
}

/** Passwords with characters that JSON must escape and that a shell must not expand. */
export const passwords = ['Così "lunga" \\ $HOME `frase`', 'Un\'altra, "nuova" \\\\ frase'] as const;
/** A part of every password that no escaping changes and that occurs nowhere else in the output. */
export const inEveryPassword = 'frase';

/** Returns a registration with Password and ConfirmPassword, as the API expects it. */
export const confirmed = (Username: string) => ({
  Username,
  Password: passwords[0],
  ConfirmPassword: passwords[0],
});

/**
 * Writes an NDJSON file with one record of one user per principal, and returns its path. The username ends with the
 * line number, from 1.
 */
export function writeRecords(name: string, ...principals: number[]): string {
  const lines = principals.map(
    (ID, index) => `${JSON.stringify({ ID, Users: [confirmed(`${name}.${index + 1}`)] })}\n`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-samples-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, `${name}.ndjson`);
  writeFileSync(file, lines.join(''));
  return file;
}
