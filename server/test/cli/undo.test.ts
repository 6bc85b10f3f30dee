import { randomUUID } from 'node:crypto';
import { credential } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { inProcess } from '@anagrafe/testing/command';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipal } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
const run = randomUUID();
let principal: number;
let user: number;

const anagrafe = (...words: string[]) => inProcess(words, { ANAGRAFE_URL: service.url });

beforeAll(async () => {
  service = await startTestService();
  const users = [importedUser('undo.cli', { Phone: '1' })];
  const inserted = await insertPrincipal(service, { Denomination: 'Old', Users: users });
  principal = inserted.id;
  user = inserted.userIds[0] ?? 0;
  const edit = { ID: user, Operation: 'edit', Phone: '2' };
  const record = { ID: principal, Denomination: 'New', Users: [edit, importedUser('undo.new')] };
  await service.call('irs/update', [record], { headers: { 'anagrafe-run': run } });
  await allHashed(service);
});

describe('audit list', () => {
  it('prints the old and new values of changed fields', async () => {
    const { code, stdout } = await anagrafe('audit', 'list', '--user', String(user), '--action', 'update');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`\tupdate\t${principal}\tDenomination: Old -> New; user ${user} Phone: 1 -> 2\n$`),
    );
    const asJson = await anagrafe('audit', 'list', '--user', String(user), '--limit', '1', '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ IRID: principal, MoreChanges: false });
  });
});

describe('undo', () => {
  it('without a run lists the runs', async () => {
    const { code, stdout } = await anagrafe('undo');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${run}\t[^\t]+\t\t\t\t1\t0\t2\n$`)),
    ]);
  });

  it('shows what would change, undoes the run, and then has nothing left to do', async () => {
    const shown = await anagrafe('undo', run, '--dry-run');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toBe(
      [
        `${principal}\tNew\t\t\trestore Denomination\tNew\tOld\n`,
        `${principal}\tNew\t${user}\tundo.cli\trestore Phone\t2\t1\n`,
        `${principal}\tNew\t${user + 1}\tundo.new\tdelete user\t\t\n`,
      ].join(''),
    );
    expect(shown.stderr).toContain('Nothing was changed.');
    const done = await anagrafe('undo', run, '--yes', '--json');
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('Undone.')]);
    expect(JSON.parse(done.stdout)).toMatchObject({ changes: [{}, {}, {}], job: { RecordsFailed: 0 } });
    const again = await anagrafe('undo', run, '--dry-run');
    expect(again.stdout).toBe(`${principal}\tOld\t${user + 1}\t\tkeep: deleted\t\t\n`);
    expect(again.stderr).toMatch(/The run was undone before: \d{4}-\d\d-\d\d \d\d:\d\d/);
    expect(again.stderr).toContain('Nothing to undo.');
    const { stderr, stdout } = await anagrafe('undo', run, '--yes', '--json');
    expect([stderr, JSON.parse(stdout).job]).toEqual([expect.stringContaining('Nothing to undo.'), null]);
    const unknown = await anagrafe('undo', randomUUID());
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('There is no run with this ID'),
    ]);
  });

  it('names the deleted users of a principal, and the client of the run and of its undo', async () => {
    const office = await credential(service, { name: 'office' });
    const settings = {
      ANAGRAFE_URL: service.url,
      ANAGRAFE_KEY: `${office.SyncPublicKey}.${office.SyncSecretKey}`,
    };
    const asOffice = (...words: string[]) => inProcess(words, settings);
    const own = randomUUID();
    const headers = { ...office, 'anagrafe-run': own };
    await service.call('irs/insert', [{ Denomination: 'Created', Users: [importedUser('undo.created')] }], {
      headers,
    });
    const { stdout } = await asOffice('undo', own, '--dry-run');
    const id = principal + 1;
    expect(stdout).toBe(
      `${id}\tCreated\t\t\tdelete principal\t\t\n${id}\tCreated\t${user + 2}\tundo.created\tdelete user\t\t\n`,
    );
    expect((await asOffice('undo', own, '--yes')).code).toBe(0);
    const again = await asOffice('undo', own, '--dry-run');
    expect(again.stderr).toMatch(/The run was undone before: \S+ \S+, by office\./);
    const listed = await asOffice('undo');
    expect(listed.stdout.split('\n')[0]).toMatch(
      new RegExp(`^${own}\t[^\t]+\toffice\t[^\t]+\toffice\t1\t0\t1$`),
    );
  });
});
