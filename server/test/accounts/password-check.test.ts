import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopClock } from '@anagrafe/testing/clock';
import { type Answer, startTestService, type TestService } from '@anagrafe/testing/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const leaked = 'a leaked long sentence';
let service: TestService;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'passwords-'));
  const hash = createHash('sha1').update(leaked).digest('hex').toUpperCase();
  await writeFile(join(folder, 'leaked.txt'), `${hash}:3\n`);
  service = await startTestService({
    ANAGRAFE_PASSWORD_BLOCKLIST: join(folder, 'leaked.txt'),
    ANAGRAFE_REQUIRE_EMAIL: 'true',
  });
});
afterAll(() => rm(folder, { recursive: true }));

interface Checked {
  readonly FieldErrors: Record<string, readonly { code: string; message: string }[]>;
}
const errorsIn = ({ body }: Answer) => (body.result?.record as Checked | null)?.FieldErrors ?? {};
const check = (body: unknown, headers = {}) => service.call('password/check', body, { headers });
async function codesOf(Password: string, names: Record<string, string> = {}): Promise<string[]> {
  const answer = await check({ Password, ...names });
  expect(answer.status).toBe(200);
  const errors = errorsIn(answer);
  expect(Object.keys(errors).filter((name) => name !== 'Password')).toEqual([]);
  return (errors.Password ?? []).map(({ code }) => code);
}

describe('password/check', () => {
  it('returns the rules that a password violates', async () => {
    expect(await codesOf('a new long sentence')).toEqual([]);
    expect(await codesOf('short')).toEqual(['PASSWORD_TOO_SHORT']);
    expect(await codesOf('x'.repeat(129))).toEqual(['PASSWORD_TOO_LONG']);
    expect(await codesOf('password1')).toEqual(['PASSWORD_COMMON']);
    expect(await codesOf(leaked)).toEqual(['PASSWORD_COMMON']);
    expect(await codesOf('long\u0000password')).toEqual(['PASSWORD_CHARACTERS']);
  });

  it('compares the password with the names that are sent, and ignores whether they are valid', async () => {
    const names = { Username: 'mario.rossi', Email: 'm.rossi@example.com' };
    expect(await codesOf('Mario.Rossi', names)).toEqual(['PASSWORD_IS_USERNAME']);
    expect(await codesOf('m.rossi@example.com', names)).toEqual(['PASSWORD_IS_EMAIL']);
    expect(await codesOf('a new long sentence', { Username: ' \u0000', Email: 'nothing' })).toEqual([]);
  });

  it('answers in the language of the caller', async () => {
    const answer = await check({ Password: 'short' }, { 'accept-language': 'it' });
    expect(answer.headers.get('content-language')).toBe('it');
    expect(errorsIn(answer).Password?.[0]?.message).toBe('La password deve avere almeno 8 caratteri.');
  });

  it('leaves nothing in the log', async () => {
    await codesOf('canary of the check');
    expect(service.log.join()).not.toContain('canary of the check');
  });

  it('allows 120 calls a minute from one address', async () => {
    stopClock();
    const own = await startTestService();
    const statuses: number[] = [];
    for (let call = 0; call < 121; call++)
      statuses.push((await own.call('password/check', { Password: 'a new long sentence' })).status);
    expect(statuses).toEqual([...Array(120).fill(200), 429]);
    expect((await own.call('password/forgot', { Username: 'anyone' })).status).toBe(200);
  });
});
