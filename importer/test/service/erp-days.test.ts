import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProcess } from '@anagrafe/testing/command';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { afterAll, beforeAll, expect, it } from 'vitest';

interface Person {
  readonly username: string;
  readonly email: string;
  readonly state: 'active' | 'disabled';
}

interface Company {
  readonly name: string;
  readonly vat: string;
  readonly state: 'active' | 'disabled';
  readonly people: readonly Person[];
}

/** The companies that must be stored, by key. */
type Companies = ReadonlyMap<string, Company>;

interface Report {
  readonly failed: readonly { readonly line: number; readonly message: string }[];
  readonly missingPrincipals: readonly { readonly ExternalKey: string | null }[];
  readonly leftOut: { readonly lines: readonly number[] };
  readonly changes: readonly unknown[];
  readonly [count: string]: unknown;
}

const header = 'Cod. Cliente;Ragione soc.;P. IVA;Utente;Mail;Password';
const password = 'una frase lunga';

let service: TestService;
let folder: string;
/** The companies after the previous day. */
let companies: Companies = new Map();

beforeAll(async () => {
  service = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-erp-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const person = (username: string): Person => {
  return { username, email: `${username}@example.com`, state: 'active' };
};

/** Thirty companies with one to four people each. */
function firstDay(): Companies {
  return new Map(
    Array.from({ length: 30 }, (_, n) => {
      const people = Array.from({ length: 1 + (n % 4) }, (_, at) => person(`utente.${n}.${at}`));
      const vat = `${12_345_678_00 + n}`.padStart(11, '0');
      return [keyOf(n), { name: `Ditta ${n} Srl`, vat, state: 'active' as const, people }];
    }),
  );
}

const keyOf = (n: number) => `${n + 100}`.padStart(6, '0');

/** The lines of the file that the ERP writes. It knows neither disabled companies nor disabled people. */
function linesOf(all: Companies): string[] {
  const active = [...all].filter(([, { state }]) => state === 'active');
  return active.flatMap(([key, { name, vat, people }]) =>
    people
      .filter(({ state }) => state === 'active')
      .map(({ username, email }) => [key, name, vat, username, email, password].join(';')),
  );
}

/** Synchronises a file with these lines below the header. */
async function sync(lines: readonly string[], options: readonly string[] = []) {
  const path = join(folder, 'clienti.csv');
  writeFileSync(path, [header, ...lines, ''].join('\n'));
  const args = ['sync', path, '--missing', 'disable', '--yes', '--json', ...options];
  const { code, stdout, stderr } = await inProcess(args, { ANAGRAFE_URL: service.url });
  return { code, stderr, report: stdout === '' ? null : (JSON.parse(stdout) as Report) };
}

/** Expects that exactly these companies are stored, with their people. */
async function expectStored(expected: Companies): Promise<void> {
  const rows = await service.database.query<{ key: string; company: Company }>(
    `select external_key as key, json_build_object('name', denomination, 'vat', vatnumber, 'state', state, 'people', (
              select json_agg(json_build_object('username', username, 'email', email, 'state', users.state) order by username)
                from anagrafe.users where principal_id = principals.id)) as company
       from anagrafe.principals order by external_key`,
  );
  const sorted = [...expected]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, company]) => {
      const people = company.people.toSorted((one, other) => (one.username < other.username ? -1 : 1));
      return { key, company: { ...company, people } };
    });
  expect(rows).toEqual(sorted);
  companies = expected;
}

/** Returns the companies with some of them changed. */
function changed(change: (company: Company, key: string) => Company): Companies {
  return new Map([...companies].map(([key, company]) => [key, change(company, key)]));
}

const nothing = { failed: [], missingPrincipals: [] };

it('on day 1 the sync creates all companies with their people', async () => {
  const all = firstDay();
  const { code, report } = await sync(linesOf(all));
  expect([code, report]).toEqual([0, expect.objectContaining({ ...nothing, PrincipalsInserted: 30 })]);
  await expectStored(all);
});

it('on day 2 the sync registers new people, and disables those who have left', async () => {
  const isHiring = (key: string) => Number(key) % 10 === 0;
  const hired = changed((company, key) => {
    const people = [...company.people, ...(isHiring(key) ? [person(`assunto.${Number(key)}`)] : [])];
    return { ...company, people };
  });
  const left = new Set(['utente.5.0', 'utente.7.1']);
  const expected = new Map(
    [...hired].map(([key, company]) => {
      const people = company.people.map((each) =>
        left.has(each.username) ? { ...each, state: 'disabled' as const } : each,
      );
      return [key, { ...company, people }];
    }),
  );
  const { code, report } = await sync(linesOf(expected));
  expect([code, report]).toEqual([
    0,
    expect.objectContaining({ ...nothing, UsersRegistered: 3, UsersDisabled: 2, PrincipalsUpdated: 0 }),
  ]);
  await expectStored(expected);
});

it('on day 3 the sync moves people to other companies with their passwords', async () => {
  const from = companies.get(keyOf(11));
  const movers = from?.people.slice(0, 2) ?? [];
  const expected = changed((company, key) => {
    if (key === keyOf(11)) return { ...company, people: company.people.slice(2) };
    return key === keyOf(12) ? { ...company, people: [...company.people, ...movers] } : company;
  });
  const before = await hashes(movers);
  const { code, report } = await sync(linesOf(expected));
  expect([code, report]).toEqual([
    0,
    expect.objectContaining({ ...nothing, UsersRegistered: 0, UsersDisabled: 0 }),
  ]);
  expect(report?.changes).toHaveLength(2);
  expect(await hashes(movers)).toEqual(before);
  await expectStored(expected);
});

async function hashes(people: readonly Person[]) {
  return service.database.query(
    'select id, password_hash from anagrafe.users where username = any($1) order by id',
    [people.map(({ username }) => username)],
  );
}

it('on day 4 the sync renames companies, and changes VAT numbers', async () => {
  const expected = changed((company, key) => {
    if (key === keyOf(3)) return { ...company, name: 'Ditta Tre Spa' };
    return key === keyOf(4) ? { ...company, vat: '99999999990', name: 'Ditta Quattro & Figli' } : company;
  });
  const { code, report } = await sync(linesOf(expected));
  expect([code, report]).toEqual([0, expect.objectContaining({ ...nothing, PrincipalsUpdated: 2 })]);
  expect(report?.changes).toHaveLength(3);
  await expectStored(expected);
});

it('on day 5 the sync refuses companies whose keys have lost their zeros, reports each once, and applies the others', async () => {
  const renamed = changed((company, key) =>
    key === keyOf(8) ? { ...company, name: 'Ditta Otto Spa' } : company,
  );
  const damaged = new Set([keyOf(1), keyOf(2)]);
  const lines = linesOf(renamed);
  const sent = lines.map((line) => {
    const [key = ''] = line.split(';');
    return damaged.has(key) ? line.replace(/^0+/, '') : line;
  });
  const numbers = sent.flatMap((line, at) => (line === lines[at] ? [] : [at + 2]));
  const { code, report } = await sync(sent);
  expect(code).toBe(3);
  expect(report).toMatchObject({ PrincipalsInserted: 0, PrincipalsUpdated: 1, UsersDisabled: 0 });
  const failed = report?.failed.map(({ line }) => line) ?? [];
  expect(new Set(failed).size).toBe(failed.length);
  expect(numbers).toEqual(expect.arrayContaining(failed));
  for (const key of damaged)
    expect(report?.failed.filter(({ message }) => message.includes(key))).not.toEqual([]);
  // The principals of these rows are not missing.
  expect(report?.missingPrincipals).toEqual([]);
  await expectStored(renamed);
});

it('on day 6 the sync leaves rows of totals out, and says which', async () => {
  const lines = linesOf(companies);
  const { code, report } = await sync([...lines, ';;;;;', 'Totale;30;;;;']);
  expect([code, report]).toEqual([0, expect.objectContaining({ ...nothing, applied: false })]);
  expect(report?.leftOut.lines).toEqual([lines.length + 3]);
  await expectStored(companies);
});

it('on day 7 the sync refuses the file of another export as a whole', async () => {
  const path = join(folder, 'ordini.csv');
  writeFileSync(path, 'Numero ordine;Data;Importo\n1001;2026-03-01;250,00\n1002;2026-03-02;99,90\n');
  const { code, stderr } = await inProcess(['sync', path, '--missing', 'disable', '--yes'], {
    ANAGRAFE_URL: service.url,
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('Numero ordine')]);
  await expectStored(companies);
});

it('on day 8 the sync changes nothing when a file comes twice', async () => {
  const expected = changed((company, key) =>
    key === keyOf(9) ? { ...company, name: 'Ditta Nove Spa' } : company,
  );
  const first = await sync(linesOf(expected));
  expect([first.code, first.report]).toEqual([
    0,
    expect.objectContaining({ ...nothing, PrincipalsUpdated: 1 }),
  ]);
  const second = await sync(linesOf(expected));
  expect([second.code, second.report]).toEqual([
    0,
    expect.objectContaining({ ...nothing, applied: false, changes: [] }),
  ]);
  await expectStored(expected);
});

it('on day 9 the sync refuses to disable the companies that are missing from half a file, and reports them', async () => {
  const lines = linesOf(companies);
  const half = lines.slice(0, lines.length / 2);
  const refused = await sync(half, ['--missing-principals', 'disable']);
  expect([refused.code, refused.report]).toEqual([1, null]);
  expect(refused.stderr).toMatch(/would disable/);
  await expectStored(companies);
  const { code, report } = await sync(half);
  const [last = ''] = half.at(-1)?.split(';') ?? [];
  const missing = [...companies.keys()].filter((key) => key > last);
  expect([code, report]).toEqual([0, expect.objectContaining({ failed: [], UsersDisabled: 3 })]);
  expect(report?.missingPrincipals.map(({ ExternalKey }) => ExternalKey).toSorted()).toEqual(missing);
  // The file ends within a company: its other people are missing like any who have left.
  const kept = new Set(half.map((line) => line.split(';')[3]));
  await expectStored(changed((company, key) => (key === last ? withoutOthers(company, kept) : company)));
});

function withoutOthers(company: Company, kept: ReadonlySet<string | undefined>): Company {
  const people = company.people.map((each) =>
    kept.has(each.username) ? each : { ...each, state: 'disabled' as const },
  );
  return { ...company, people };
}

it('on day 10 the sync disables a customer that has left, generates passwords, and reports who stays disabled', async () => {
  const whole = linesOf(firstDay());
  const disabled = [...companies.values()].flatMap(({ people }) =>
    people.filter(({ state }) => state === 'disabled'),
  );
  const cut = disabled.filter(({ username }) => username.startsWith('utente.15.'));
  const back = whole.filter((line) => cut.some(({ username }) => line.includes(`;${username};`)));
  const gone = keyOf(29);
  const former = companies.get(gone);
  const expected = new Map(companies);
  if (former) expected.set(gone, { ...former, state: 'disabled' });
  expected.set(keyOf(40), {
    name: 'Ditta 40 Srl',
    vat: '00000000040',
    state: 'active',
    people: [person('nuova')],
  });
  const lines = linesOf(expected).map((line) =>
    line.includes(';nuova;') ? line.replace(password, '') : line,
  );
  const passwords = join(folder, 'passwords.csv');
  const options = ['--missing-principals', 'disable', '--generate-passwords', passwords];
  const { code, report } = await sync([...lines, ...back], options);
  expect([code, report]).toEqual([
    0,
    expect.objectContaining({ failed: [], UsersRegistered: 1, UsersDisabled: 0 }),
  ]);
  expect(report?.disabledUsers).toEqual(cut.map(({ username }) => username));
  expect(readFileSync(passwords, 'utf8')).toMatch(/nuova/);
  await expectStored(expected);
});
