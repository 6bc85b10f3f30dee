import { beforeAll, describe, expect, it } from 'vitest';
import { importedUser } from '../setup/jobs.ts';
import { startTestService } from '../setup/service.ts';
import { anagrafe, expectOneLine } from './command.ts';

const settings = { ANAGRAFE_URL: '' };

beforeAll(async () => {
  const service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
  await service.call('irs/insert', [{ Name: 'Mario', Users: [importedUser('one'), importedUser('two')] }]);
});

const run = (...args: string[]) => anagrafe(['state', ...args], settings);

async function states() {
  const { stdout } = await anagrafe(['list', '--json'], settings);
  const { State, Users } = JSON.parse(stdout);
  return [State, ...Users.map((user: { State: string }) => user.State)];
}

describe('state', () => {
  it('disables and enables a principal', async () => {
    const { code, stdout, stderr } = await run('disable', '1');
    expect([code, stdout, stderr]).toEqual([0, '', 'Principal 1 is disabled.\n']);
    expect(await states()).toEqual(['disabled', 'active', 'active']);
    expect((await run('enable', '1')).stderr).toBe('Principal 1 is active.\n');
    expect(await states()).toEqual(['active', 'active', 'active']);
  });

  it('disables and enables some of its users, and leaves the principal as it is', async () => {
    expect((await run('disable', '1', '1', '2')).stderr).toBe('Users 1, 2 of principal 1 are disabled.\n');
    expect((await run('enable', '1', '2')).stderr).toBe('User 2 of principal 1 is active.\n');
    expect(await states()).toEqual(['active', 'disabled', 'active']);
  });

  it('says whom it could not find, and does nothing then', async () => {
    expectOneLine(await run('disable', '99'), /^anagrafe: principal 99: .*\(PRINCIPAL_NOT_FOUND\)$/);
    const { code, stderr } = await run('enable', '1', '1', '77');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^anagrafe: user 77: .*\(USER_NOT_FOUND\)\n$/)]);
    expect(await states()).toEqual(['active', 'disabled', 'active']);
  });

  it('gives programs the tuple', async () => {
    const applied = await run('enable', '1', '1', '--json');
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    expect(JSON.parse(applied.stdout)).toMatchObject({ Item1: 1, Item3: true });
    const refused = await run('enable', '99', '--json');
    expect([refused.code, refused.stderr]).toEqual([1, '']);
    expect(JSON.parse(refused.stdout)).toMatchObject({ Item2: 'PRINCIPAL_NOT_FOUND', Item3: false });
  });

  it('takes IDs and nothing else', async () => {
    expectOneLine(await run('disable', 'rossi'), /^error: .*'rossi'.*whole number/);
    expectOneLine(await run('disable', '1', '-'), /^error: .*'-'.*whole number/);
    expectOneLine(await run('disable'), /^error: .*principal-id/);
  });
});
