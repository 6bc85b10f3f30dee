import { newWorkFolder, rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
import { runs } from '@anagrafe/testing/random';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { csvLine } from '../../src/index.ts';

let service: TestService;
let folder: WorkFolder;
let sheets = 0;

beforeAll(async () => {
  service = await startTestService();
  folder = newWorkFolder(service);
});

/** A row of a sheet, as an office might write it. */
interface SheetRow {
  readonly key: string;
  readonly company: string;
  readonly vat: string;
  readonly email: string;
  readonly username: string;
  readonly userEmail: string;
  readonly password: string;
}

const columns = [
  'ExternalKey',
  'Denomination',
  'Vatnumber',
  'PrincipalEmail',
  'Username',
  'Email',
  'Password',
];
const cellsOf = ({ key, company, vat, email, username, userEmail, password }: SheetRow) => [
  key,
  company,
  vat,
  email,
  username,
  userEmail,
  password,
];

/** Mostly the first value, so that some rows of a sheet are valid. */
const mostly = (value: string, ...others: string[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const sheetRow: fc.Arbitrary<SheetRow> = fc.record({
  key: mostly('A', 'B', 'C', ' A', '1,5E+10'),
  company: mostly('Alfa', 'Beta', '', 'Alfa ', '#N/A'),
  vat: mostly('', '00743110157', '12345678903', '1,23457E+10'),
  email: mostly('', 'a@example.com', 'b@example.com', 'no address'),
  username: fc.constantFrom('u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'U1', ' u2 ', ''),
  userEmail: mostly('', 'x@example.com', 'nothing'),
  password: mostly('una frase lunga', 'short', ''),
});

interface Listed {
  readonly Denomination: string | null;
  readonly Vatnumber: string | null;
  readonly Email: string | null;
  readonly Users: readonly { readonly Username: string; readonly Email: string | null }[];
}

/** Gives the keys and usernames of a sheet a name of its own, because all sheets share a service. */
function named(row: SheetRow, sheet: number): SheetRow {
  const { key, username } = row;
  return {
    ...row,
    key: /^\s*[A-C]$/.test(key) ? key.replace(/[A-C]/, (letter) => `${letter}${sheet}`) : key,
    username: username.trim() === '' ? '' : username.replace(/u/i, (letter) => `${letter}-${sheet}-`),
  };
}

async function principal(ExternalKey: string): Promise<Listed | undefined> {
  return (await service.call<Listed>('irs/list', { ExternalKey })).body.result?.records[0];
}

/** Imports a sheet and returns the rows that were applied and the lines with the reasons of the others. */
async function importSheet(name: string, rows: readonly SheetRow[], options: readonly string[]) {
  folder.write(name, [columns, ...rows.map(cellsOf)].map((cells) => csvLine(cells, ';')).join(''));
  const { code } = await folder.run(['import', name, ...options]);
  const failedName = name.replace('.csv', '.failed.csv');
  const failed = new Map(
    code === 0
      ? []
      : rowsOf(folder, failedName).map((row) => [Number(row['Anagrafe line']) - 2, row['Anagrafe errors']]),
  );
  for (const reason of failed.values()) expect(reason).toMatch(/\S/);
  // An exact copy of an earlier row is left out.
  const texts = rows.map((row) => JSON.stringify([...cellsOf(row).map((cell) => cell.trim()), row.password]));
  const isCopy = (at: number) => rows[at]?.username.trim() !== '' && texts.indexOf(texts[at] ?? '') < at;
  return { failed, applied: rows.filter((_, at) => !failed.has(at) && !isCopy(at)) };
}

/** A row without any value of a user describes its principal alone. */
const hasUser = ({ username, userEmail, password }: SheetRow) =>
  username.trim() !== '' || userEmail !== '' || password !== '';
const folded = (username: string) => username.trim().toLowerCase();

/** Requires that the store has exactly what the applied rows say, in the order of the file. */
async function expectStored(applied: readonly SheetRow[]): Promise<void> {
  for (const key of new Set(applied.map((row) => row.key.trim()))) {
    const own = applied.filter((row) => row.key.trim() === key);
    const last = (value: (row: SheetRow) => string) =>
      own.map((row) => value(row).trim()).findLast((text) => text !== '') ?? null;
    const stored = await principal(key);
    expect([stored?.Denomination, stored?.Vatnumber, stored?.Email]).toEqual([
      last(({ company }) => company),
      last(({ vat }) => vat),
      last(({ email }) => email),
    ]);
    const users = (stored?.Users ?? []).map(({ Username, Email }) => [Username, Email]).sort();
    expect(users).toEqual(
      own
        .filter(hasUser)
        .map(({ username, userEmail }) => [username.trim(), userEmail.trim() || null])
        .sort(),
    );
  }
}

/** Corrects a row as its author would: a valid value that agrees with the first applied row of its principal. */
function corrected(row: SheetRow, at: number, sheet: number, model: readonly SheetRow[]): SheetRow {
  const key = /^\s*[A-C]\d+$/.test(row.key) ? row.key.trim() : `C${sheet}`;
  const known = model.filter((other) => other.key.trim() === key);
  const agreed = (value: (row: SheetRow) => string) =>
    known.map((other) => value(other).trim()).find((text) => text !== '') ?? '';
  return {
    key,
    // A principal that is stored without a name has none in the corrected row either.
    company: agreed(({ company }) => company) || (known.length === 0 ? 'Corretta' : ''),
    vat: agreed(({ vat }) => vat),
    email: agreed(({ email }) => email),
    username: `corrected-${sheet}-${at}`,
    userEmail: '',
    password: 'una frase corretta',
  };
}

it.each([[[]], [['--update']]] as const)(
  'a sheet with conflicting, damaged and incomplete rows is stored as its applied rows say, and completely after the correction of the others: options %j',
  async (options) => {
    await fc.assert(
      fc.asyncProperty(fc.array(sheetRow, { minLength: 1, maxLength: 12 }), async (generated) => {
        const sheet = ++sheets;
        const rows = generated.map((row) => named(row, sheet));
        const { failed, applied } = await importSheet(`sheet-${sheet}.csv`, rows, options);
        await expectStored(applied);
        // A principal of which no row was applied does not exist.
        for (const letter of ['A', 'B', 'C'])
          if (!applied.some(({ key }) => key.trim() === `${letter}${sheet}`))
            expect(await principal(`${letter}${sheet}`)).toBeUndefined();
        for (const row of applied) expect([row, isValid(row)]).toEqual([row, true]);
        // No earlier row can be the cause if the first one is refused.
        const [first] = rows;
        if (first && isValid(first) && first.company.trim() !== '') expect(failed.get(0)).toBeUndefined();
        const names = applied.filter(hasUser).map(({ username }) => folded(username));
        expect(new Set(names).size).toBe(names.length);

        const model = [...applied];
        const again: SheetRow[] = [];
        for (const [at, row] of rows.entries()) {
          if (!failed.has(at)) continue;
          again.push(corrected(row, at, sheet, model));
          model.push(again.at(-1) as SheetRow);
        }
        if (again.length === 0) return;
        const second = await importSheet(`corrected-${sheet}.csv`, again, options);
        expect([...second.failed]).toEqual([]);
        await expectStored(model);
      }),
      runs(5),
    );
  },
);

/** Returns true if nothing is wrong with the row itself. */
function isValid({ key, company, vat, email, username, userEmail, password }: SheetRow): boolean {
  return (
    !/E\+/.test(key + vat) &&
    company !== '#N/A' &&
    email !== 'no address' &&
    userEmail !== 'nothing' &&
    ((username.trim() === '' && userEmail === '' && password === '') ||
      (username.trim() !== '' && password === 'una frase lunga'))
  );
}
