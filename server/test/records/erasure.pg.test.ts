import { allHashed } from '@anagrafe/testing/audit-chain';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { login, signedIn } from '@anagrafe/testing/login';
import { insertPrincipal, range } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Returns every row of every table of the database that contains one of the texts, also in a column of bytes. */
async function rowsWith(texts: readonly string[]): Promise<string[]> {
  const tables = await service.database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(15);
  const wanted = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')]);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.database.query<{ text: string }>(
      `select stored::text as text from ${name} as stored`,
    );
    for (const { text } of rows)
      if (wanted.some((part) => text.toLowerCase().includes(part.toLowerCase())))
        found.push(`${name}: ${text}`);
  }
  return found;
}

const person = {
  username: 'Giulia.Neri',
  renamed: 'giulia.gialli',
  email: 'giulia@neri.example',
  phone: '+39 055 987 654',
};
const personal = Object.values(person);

/** Leaves traces of a person everywhere: sessions, wrong passwords, failed records of calls and jobs, renames. */
async function leaveTraces(key: string) {
  const registration = newUser(person.username, { Email: person.email, Phone: person.phone });
  const other = await insertPrincipal(service, { Denomination: 'Another' });
  const short = { ...registration, Password: 'short', ConfirmPassword: 'short' };
  await service.call('irs/insert', [{ Denomination: 'Refused', Users: [short] }]);
  await service.call('irs/insert', [{ ExternalKey: key, Denomination: 'Refused', Users: [short] }]);
  const { id, userIds } = await insertPrincipal(service, {
    ExternalKey: key,
    Denomination: 'Neri',
    Users: [registration],
  });
  const [user = 0] = userIds;
  const keyed = { headers: { 'idempotency-key': `erasure-${key}` } };
  await service.call('irs/update', [{ ID: other.id, Users: [registration] }], keyed);
  await service.call('irs/update', [{ ExternalKey: key, Users: [{ ...registration, Extra: 1 }] }]);
  const edit = { Operation: 'edit', ID: user, Email: person.email, Phone: person.phone, Extra: 1 };
  await service.call('irs/update', [{ ID: id, Users: [edit] }]);
  const failing = [
    { ID: other.id, Users: [registration] },
    { ID: id, Users: [{ ...importedUser('x'), Email: person.email, Extra: 1 }] },
  ];
  await finished(service, await submit(service, 'irs/update', failing));
  await signedIn(service, person.username);
  await login(service, person.username, 'a wrong password');
  const rename = { Operation: 'edit', ID: user, NewUsername: person.renamed };
  await service.call('irs/update', [{ ID: id, Users: [rename] }]);
  await login(service, person.renamed, 'a wrong password');
  await service.call('irs/update', [{ ID: id, NewExternalKey: `${key} new` }]);
  return { id, user, other: other.id };
}

async function failedRecords(): Promise<number> {
  const [row] = await service.database.query<{ count: number }>(
    'select count(*)::integer from anagrafe.outcomes where error is not null',
  );
  return row?.count ?? 0;
}

describe('a deletion', () => {
  it('of a principal leaves no username, email address or phone number of its users in the database', async () => {
    const { id } = await leaveTraces('N-1');
    await allHashed(service);
    expect((await rowsWith(personal)).length).toBeGreaterThan(5);
    const failures = await failedRecords();
    expect((await service.call('irs/delete', [{ ID: id }])).status).toBe(200);
    await allHashed(service);
    expect(await rowsWith(personal)).toEqual([]);
    expect(await failedRecords()).toBe(failures);
  });

  it('of a user leaves no personal data in the database, except in failed records that do not name the user', async () => {
    const { id, user } = await leaveTraces('N-2');
    await service.call('irs/delete', [{ ID: id, Users: [{ ID: user }] }]);
    await allHashed(service);
    const left = await rowsWith(personal);
    expect(left.map((row) => row.slice(0, 400))).toEqual([
      expect.stringMatching(/^anagrafe\.outcomes: .*""Username"":""x""/),
    ]);
    expect((await service.call('irs/delete', [{ ID: id }])).status).toBe(200);
    expect(await rowsWith(personal)).toEqual([]);
  });

  describe('of a user', () => {
    const username = 'Carla Viola';
    const forms: [string, (user: number) => object][] = [
      ['the username in another case', () => ({ Username: 'CARLA viola', Extra: 1 })],
      ['the username with spaces around it', () => ({ Username: '  Carla Viola ' })],
      ['the username with 600 spaces after it', () => ({ Username: `Carla Viola${' '.repeat(600)}` })],
      ['the username with two spaces in it', () => ({ Username: 'Carla  Viola' })],
      ['the username with a tab instead of a space', () => ({ Username: 'Carla\tViola' })],
      ['the username with a no-break space', () => ({ Username: 'Carla\u00a0Viola' })],
      ['the username with a zero-width space', () => ({ Username: 'Car\u200bla Viola' })],
      ['the username with a soft hyphen', () => ({ Username: 'Car\u00adla Viola' })],
      ['the username with a line separator', () => ({ Username: 'Car\u2028la Viola' })],
      ['the username with a byte order mark', () => ({ Username: '\ufeffCarla Viola' })],
      ['the username with tag characters', () => ({ Username: 'Carla Viola\u{e0041}' })],
      ['the username in a list', () => ({ Username: ['Carla Viola'] })],
      ['the username as the new one of another user', () => ({ ID: 7, NewUsername: ' Carla Viola' })],
      ['the ID as text', (user) => ({ ID: `${user}` })],
      ['the ID as text with spaces around it', (user) => ({ ID: ` ${user} ` })],
      ['the ID as text with zeros before it', (user) => ({ ID: `00${user}` })],
      ['the ID in a list', (user) => ({ ID: [user] })],
    ];

    it.each(forms)('empties failed records that have %s', async (_, form) => {
      const { id, userIds } = await insertPrincipal(service, { Users: [importedUser(username)] });
      await expectErased(
        { Operation: 'edit', ...form(userIds[0] ?? 0) },
        { ID: id, Users: [{ Username: username }] },
      );
    });

    it('empties failed records that have the username as a number', async () => {
      const { id } = await insertPrincipal(service, { Users: [importedUser('20240117')] });
      const deletion = { ID: id, Users: [{ Username: '20240117' }] };
      await expectErased({ Operation: 'edit', Username: 20240117 }, deletion);
    });

    /** Leaves a failed record of another principal with the item and an email address, then deletes the user. */
    async function expectErased(item: object, deletion: object) {
      const other = await insertPrincipal(service, { Denomination: 'Another' });
      const record = { ID: other.id, Users: [{ ...item, Email: person.email }] };
      await finished(service, await submit(service, 'irs/update', [record]));
      expect(await rowsWith([person.email])).toHaveLength(1);
      expect((await service.call('irs/delete', [deletion])).status).toBe(200);
      expect(await rowsWith([person.email])).toEqual([]);
    }
  });

  it.each<[string, (id: number) => object]>([
    ['the ID as text', (id) => ({ ID: `${id}` })],
    ['the ID as text with spaces around it', (id) => ({ ID: ` ${id} ` })],
    ['the key as a number', () => ({ ExternalKey: 20240118 })],
    ['the key with spaces around it', () => ({ ExternalKey: ' 20240118 ', Extra: 1 })],
    ['the key with an invisible character', () => ({ ExternalKey: '2024\u00ad0118' })],
  ])('of a principal empties failed records that have %s', async (_, form) => {
    const { id } = await insertPrincipal(service, { ExternalKey: '20240118' });
    const record = { ...form(id), Email: person.email };
    await finished(service, await submit(service, 'irs/upsert', [record]));
    expect(await rowsWith([person.email])).toHaveLength(1);
    expect((await service.call('irs/delete', [{ ID: id }])).status).toBe(200);
    expect(await rowsWith([person.email])).toEqual([]);
  });

  it('removes the stored values from the error of a failed record that differed from them', async () => {
    const [ExternalKey, Denomination] = ['N-9', 'Ditta Individuale Carla Viola'];
    const { id } = await insertPrincipal(service, { ExternalKey, Denomination });
    const records = [{ ExternalKey, Denomination: 'Another' }];
    await finished(service, await submit(service, 'irs/upsert?existing=refuse', records));
    expect(await rowsWith([Denomination])).toHaveLength(2);
    expect((await service.call('irs/delete', [{ ID: id }])).status).toBe(200);
    expect(await rowsWith([Denomination])).toEqual([]);
  });

  it('mentions a renamed user once in a failed record, however often it is renamed', async () => {
    const { id, userIds } = await insertPrincipal(service, {
      Denomination: 'Neri',
      Users: [importedUser('often.renamed')],
    });
    const [user = 0] = userIds;
    await service.call('irs/update', [{ ID: id, Users: [importedUser('often.renamed')] }]);
    for (const NewUsername of ['name.1', 'often.renamed', 'name.2', 'often.renamed', 'name.3']) {
      const rename = { Operation: 'edit', ID: user, NewUsername };
      expect((await service.call('irs/update', [{ ID: id, Users: [rename] }])).status).toBe(200);
    }
    const [row] = await service.database.query<{ mentions: string[] }>(
      `select mentions from anagrafe.outcomes where mentions @> array['name:often.renamed' collate "C"]`,
    );
    expect(row?.mentions.toSorted()).toEqual([`name:often.renamed`, `principal:${id}`, `user:${user}`]);
  });

  it('of a user empties the failed records that name it, and keeps their codes and the other failed records', async () => {
    const { id, userIds } = await insertPrincipal(service, {
      Denomination: 'Verdi',
      Users: [importedUser('verdi'), importedUser('bianchi')],
    });
    const records = [
      { ID: id, Users: [{ Operation: 'edit', Username: 'VERDI', Email: 'no address' }] },
      { ID: id, Users: [{ Operation: 'edit', ID: userIds[1], Email: 'no address' }] },
      { ID: id, Users: [importedUser('bianchi')] },
    ];
    const job = await submit(service, 'irs/update', records);
    await finished(service, job);
    await service.call('irs/update', [{ ID: id, Users: [{ Operation: 'delete', Username: 'verdi' }] }]);
    const failed = (await (await fetch(`${service.url}/api/sync/v1/jobs/${job}/failed`)).json()) as object[];
    expect(failed).toEqual([
      { Position: 0, FieldErrors: { Record: [expect.objectContaining({ code: 'INVALID_USERS' })] } },
      expect.objectContaining({
        ID: id,
        Position: 1,
        Users: [{ Operation: 'edit', ID: userIds[1], Email: false }],
      }),
      expect.objectContaining({ ID: id, Position: 2 }),
    ]);
    const { body } = await finished(service, job);
    expect(body.result?.records.map(({ Item2, Item5 }) => [Item2, Object.keys(Item5)])).toEqual([
      ['INVALID_USERS', []],
      ['INVALID_USERS', ['Users[0].Email']],
      ['USERNAME_TAKEN', ['Users[0].Username']],
    ]);
  });

  it('of a principal with many users empties the failed records that name the first and the last of them', async () => {
    const users = range(700).map((n) => importedUser(`many-${n}`));
    const { id } = await insertPrincipal(service, { Denomination: 'Many', Users: users });
    const other = await insertPrincipal(service, { Denomination: 'Other' });
    const taken = [users[0], users.at(-1), importedUser('remaining')];
    await service.call('irs/update', [{ ID: other.id, Users: [importedUser('remaining')] }]);
    const records = taken.map((user) => ({ ID: other.id, Users: [user] }));
    const job = await submit(service, 'irs/update', records);
    await finished(service, job);
    await service.call('irs/delete', [{ ID: id }]);
    const failed = (await (await fetch(`${service.url}/api/sync/v1/jobs/${job}/failed`)).json()) as object[];
    expect(failed.map((record) => 'Users' in record)).toEqual([false, false, true]);
  });
});
