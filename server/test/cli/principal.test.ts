import { expectOneLine, inProcess, onTerminal } from '@anagrafe/testing/command';
import { importedUser } from '@anagrafe/testing/jobs';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

const settings = { ANAGRAFE_URL: '' };
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
});

const run = (...args: (string | number)[]) => inProcess(['principal', ...args.map(String)], settings);

async function created(key: string, ...more: string[]): Promise<Record<string, unknown> & { ID: number }> {
  const { stdout } = await run(
    'create',
    '--external-key',
    key,
    '--denomination',
    'Rossi Srl',
    ...more,
    '--json',
  );
  return JSON.parse(stdout);
}

describe('the principal commands', () => {
  it('create a principal and find it by ID and external key', async () => {
    const { ID } = await created('C-1', '--vatnumber', '01234567890');
    for (const name of [ID, 'C-1']) {
      const { code, stdout } = await run('show', name);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^ID +${ID}$`, 'm'));
      expect(stdout).toMatch(/^Vatnumber +01234567890$/m);
    }
    expectOneLine(await run('create'), /^anagrafe: .*\(EMPTY_PRINCIPAL\)/);
    expectOneLine(
      await run('show', 'C-0'),
      /^anagrafe: There is no principal with the ID or external key C-0$/,
    );
  });

  it('refuse to choose between an ID and the external key of another principal, unless --by says which', async () => {
    const { ID } = await created('C-2');
    const other = await created(String(ID));
    expectOneLine(await run('show', ID), new RegExp(`^anagrafe: Several principals match ${ID}: .*--by id`));
    expect(JSON.parse((await run('show', ID, '--by', 'key', '--json')).stdout).ID).toBe(other.ID);
    expect(JSON.parse((await run('show', ID, '--by', 'id', '--json')).stdout).ID).toBe(ID);
  });

  it('change the given fields, clear those that are empty, and keep the others', async () => {
    const { ID } = await created('C-3', '--email', 'info@example.com', '--taxcode', 'X');
    const { code, stdout } = await run(
      'edit',
      'C-3',
      '--denomination',
      'Rossi Spa',
      '--email',
      '',
      '--external-key',
      'C-3b',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ID,
      Denomination: 'Rossi Spa',
      Email: null,
      ExternalKey: 'C-3b',
      Taxcode: 'X',
    });
    expectOneLine(
      await run('edit', 'C-3b'),
      /^anagrafe: Nothing to change\. Options: --external-key, --denomination/,
    );
  });

  it('disable and enable a principal', async () => {
    await created('C-4');
    expect((await run('disable', 'C-4')).stdout).toMatch(/^State +disabled$/m);
    expect((await run('enable', 'C-4')).stdout).toMatch(/^State +active$/m);
  });

  it('delete a principal with its users after a confirmation', async () => {
    const { ID } = await created('C-5');
    const Users = [importedUser('of.c5.one'), importedUser('of.c5.two')];
    await service.call('irs/update', [{ ID, Users }]);
    const question = `Delete principal ${ID} (Rossi Srl) with its 2 users? This cannot be undone.`;
    const refused = await run('delete', 'C-5');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`${question} There is no terminal`),
    ]);
    const declined = await onTerminal(['principal', 'delete', 'C-5'], settings, 120, ['']);
    expect(declined.screen).toContain('Nothing was deleted.');
    const { code, stderr } = await run('delete', 'C-5', '--yes');
    expect([code, stderr]).toEqual([0, `Deleted principal ${ID} (Rossi Srl) with its 2 users.\n`]);
    expectOneLine(await run('show', 'C-5'), /There is no principal/);
  });
});
