import { copyFileSync } from 'node:fs';
import type { ExportedPrincipal } from '@anagrafe/client';
import { expectOneLine, inProcess } from '@anagrafe/testing/command';
import { canSignIn, newWorkFolder, rowsOf } from '@anagrafe/testing/importing';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { expect, it } from 'vitest';

const records = [
  {
    ExternalKey: '000300',
    Denomination: '=SUM(1;2), "Rossi" & Figli',
    Surname: 'De Rossi',
    Name: '-Mario',
    Vatnumber: 'IT 00743110157',
    Taxcode: 'RSSMRA80A01H501U',
    Email: 'info@example.com',
    Users: [
      newUser('mario', {
        Email: 'Mario@example.com',
        Phone: '+39 010 1',
        FirstName: 'Mario',
        LastName: "D'Amicò",
        Language: 'it-CH',
        Attributes: { Department: 'Vendite, "Nord"', Empty: '' },
        Password: 'the sentence of mario',
        ConfirmPassword: 'the sentence of mario',
      }),
      newUser('anna'),
      newUser('disabled.user'),
    ],
  },
  { ExternalKey: 'C-2', Denomination: 'Without users' },
  { ExternalKey: 'C-3', Denomination: 'Disabled', Users: [newUser('ugo')] },
];

/** The default cost: an import refuses the cheap hashes of other tests. */
const realHashing = { ANAGRAFE_HASH_MEMORY_KIB: '19456' };

async function filledService(): Promise<TestService> {
  const service = await startTestService(realHashing);
  expect((await service.call('irs/insert', records)).status).toBe(200);
  const states = [
    { ExternalKey: '000300', Users: [{ Username: 'disabled.user', State: 'disabled' }] },
    { ExternalKey: 'C-3', State: 'disabled' },
  ];
  expect((await service.call('irs/state', states)).status).toBe(200);
  return service;
}

/** Returns what a service stores, without IDs and times. */
async function storedIn({ url }: TestService): Promise<object[]> {
  const { stdout } = await inProcess(['export', '--hashes'], { ANAGRAFE_URL: url });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line): ExportedPrincipal => JSON.parse(line))
    .map(({ ID: _id, CreatedAt: _created, UpdatedAt: _updated, Users, ...principal }) => ({
      ...principal,
      Users: Users.map(({ ID, CreatedAt, UpdatedAt, PasswordChangedAt, LastLoginAt, ...user }) => user),
    }));
}

it.each([
  ['users.csv'],
  ['users.csv', '--separator', ';'],
  ['users.csv', '--separator', 'tab'],
  ['users.xlsx'],
])(
  'an export as %s with hashes can be imported into an empty service, and every user signs in with the old password (%s %s)',
  async (name, ...options) => {
    const [from, to] = [await filledService(), await startTestService()];
    const source = newWorkFolder(from);
    expect((await source.run(['export', name, '--hashes', ...options])).code).toBe(0);
    const target = newWorkFolder(to);
    copyFileSync(source.path(name), target.path(name));
    const { code, stderr } = await target.run(['import', name]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(await storedIn(to)).toEqual(await storedIn(from));
    expect(await canSignIn(to, 'mario', 'the sentence of mario')).toBe(true);
    expect(await canSignIn(to, 'anna', newUser('anna').Password)).toBe(true);
    expect(await canSignIn(to, 'disabled.user', newUser('disabled.user').Password)).toBe(false);
    expect(await canSignIn(to, 'ugo', newUser('ugo').Password)).toBe(false);
  },
);

it('an export as CSV can be synchronised with the same service, and changes nothing', async () => {
  const service = await filledService();
  await service.call('irs/insert', [
    { Denomination: 'Without key', Users: [newUser('eva'), newUser('leo')] },
  ]);
  const folder = newWorkFolder(service);
  expect((await folder.run(['export', 'all.csv', '--hashes'])).code).toBe(0);
  const before = await storedIn(service);
  const [version] = await service.database.query('select max(updated_at) as at from anagrafe.principals');
  const { code, stderr } = await folder.run(['import', 'all.csv', '--update']);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(await storedIn(service)).toEqual(before);
  expect(await service.database.query('select max(updated_at) as at from anagrafe.principals')).toEqual([
    version,
  ]);
});

it.each(['import', 'reset', 'sync'])(
  'an export as NDJSON is refused as a whole by %s, which names the export as CSV',
  async (command) => {
    const service = await startTestService();
    await service.call('irs/insert', records);
    const folder = newWorkFolder(service);
    expect((await folder.run(['export', 'users.ndjson'])).code).toBe(0);
    expectOneLine(
      await folder.run([command, 'users.ndjson']),
      /^anagrafe: This file is an NDJSON export, which cannot be imported\. .* Run: .*anagrafe export users\.csv --hashes$/,
    );
  },
);

it('a principal without an external key is reported by an import into another service, and not divided into several', async () => {
  const [from, to] = [await startTestService(realHashing), await startTestService()];
  await from.call('irs/insert', [{ Denomination: 'Without key', Users: [newUser('eva'), newUser('leo')] }]);
  const source = newWorkFolder(from);
  await source.run(['export', 'users.csv', '--hashes']);
  const target = newWorkFolder(to);
  target.write('users.csv', source.read('users.csv'));
  expect((await target.run(['import', 'users.csv'])).code).toBe(3);
  expect(rowsOf(target, 'users.failed.csv').map((row) => row.Username)).toEqual(['eva', 'leo']);
  expect(await to.database.query('select id from anagrafe.principals')).toEqual([]);
});
