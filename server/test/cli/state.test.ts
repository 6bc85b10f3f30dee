import { beforeAll, describe, expect, it } from 'vitest';
import { importedUser } from '../setup/jobs.ts';
import { startTestService, type TestService } from '../setup/service.ts';
import { anagrafe, expectOneLine, expectWrongUsage, inProcess } from './command.ts';

const settings = { ANAGRAFE_URL: '' };
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
});

const run = (...args: (string | number)[]) => inProcess(['state', ...args.map(String)], settings);

let names = 0;
/** Inserts a principal with two users. */
async function newPrincipal(): Promise<{ principal: number; one: number; two: number }> {
  const Users = [importedUser(`user ${++names}`), importedUser(`user ${++names}`)];
  const { body } = await service.call('irs/insert', [{ Name: 'Mario', Users }], {
    headers: { prefer: 'return=representation' },
  });
  const { Item1, Item6 } = body.result?.records[0] ?? {};
  const [one = 0, two = 0] = Item6?.Users?.map(({ ID }) => ID) ?? [];
  return { principal: Item1 ?? 0, one, two };
}

async function states(principal: number) {
  const { stdout } = await inProcess(['list', '--json', '--id', String(principal)], settings);
  const { State, Users } = JSON.parse(stdout);
  return [State, ...Users.map((user: { State: string }) => user.State)];
}

describe('state', () => {
  it('disables and enables a principal', async () => {
    const { principal } = await newPrincipal();
    const { code, stdout, stderr } = await anagrafe(['state', 'disable', String(principal)], settings);
    expect([code, stdout, stderr]).toEqual([0, '', `Principal ${principal} is disabled.\n`]);
    expect(await states(principal)).toEqual(['disabled', 'active', 'active']);
    expect((await run('enable', principal)).stderr).toBe(`Principal ${principal} is active.\n`);
    expect(await states(principal)).toEqual(['active', 'active', 'active']);
  });

  it('disables and enables some users of a principal without changing the principal', async () => {
    const { principal, one, two } = await newPrincipal();
    expect((await run('disable', principal, one, two)).stderr).toBe(
      `Users ${one}, ${two} of principal ${principal} are disabled.\n`,
    );
    expect((await run('enable', principal, two)).stderr).toBe(
      `User ${two} of principal ${principal} is active.\n`,
    );
    expect(await states(principal)).toEqual(['active', 'disabled', 'active']);
  });

  it('names the principal or user that does not exist, and changes nothing', async () => {
    const { principal, one } = await newPrincipal();
    await run('disable', principal, one);
    expectOneLine(await run('disable', 999), /^anagrafe: principal 999: .*\(PRINCIPAL_NOT_FOUND\)$/);
    const { code, stderr } = await run('enable', principal, one, 777);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^anagrafe: user 777: .*\(USER_NOT_FOUND\)\n$/),
    ]);
    expect(await states(principal)).toEqual(['active', 'disabled', 'active']);
  });

  it('prints the tuple with --json', async () => {
    const { principal, one } = await newPrincipal();
    const applied = await run('enable', principal, one, '--json');
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    expect(JSON.parse(applied.stdout)).toMatchObject({ Item1: principal, Item3: true });
    const refused = await run('enable', 999, '--json');
    expect([refused.code, refused.stderr]).toEqual([1, '']);
    expect(JSON.parse(refused.stdout)).toMatchObject({ Item2: 'PRINCIPAL_NOT_FOUND', Item3: false });
  });

  it('accepts only whole numbers as IDs', async () => {
    expectWrongUsage(await run('disable', 'rossi'), /^anagrafe: .*'rossi'.*whole number/);
    expectWrongUsage(await run('disable', '1', '-'), /^anagrafe: .*'-'.*whole number/);
    expectWrongUsage(await run('disable'), /^anagrafe: .*principal-id/);
  });
});
