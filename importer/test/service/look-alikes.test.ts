import { inProcess } from '@anagrafe/testing/command';
import { contextOf, newWorkFolder, rowsOf, taskOf, type WorkFolder } from '@anagrafe/testing/importing';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { batchLimits } from '../../src/index.ts';
import { runImport } from '../../src/node/index.ts';

let service: TestService;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
  folder = newWorkFolder(service);
});

let number = 0;
const head = 'ExternalKey,Denomination,Vatnumber,Username,Password';

/** Inserts a company with a key that begins with zeros, and returns the key without them and its name. */
async function storedCompany() {
  const key = String(7000 + ++number);
  const name = `Rossi ${number} Srl`;
  const record = { ExternalKey: `00${key}`, Denomination: name, Vatnumber: `0123456${key}`, Taxcode: null };
  await service.call('irs/insert', [record]);
  return { key, name, vatnumber: record.Vatnumber };
}

async function principalsNamed(name: string): Promise<(string | null)[]> {
  const { body } = await service.call<{ ExternalKey: string | null }>('irs/list', { Search: name });
  return (body.result?.records ?? []).map(({ ExternalKey }) => ExternalKey);
}

const importOf = (name: string, ...options: string[]) =>
  folder.run(['import', name, '--similar', 'refuse', ...options]);

describe('an import of a new principal that looks like a stored one', () => {
  it.each([[[]], [['--update']]])(
    'fails with both side by side, in the dry run and in the import, with %j',
    async (options) => {
      const { key, name, vatnumber } = await storedCompany();
      const file = `alike-${key}.csv`;
      folder.write(
        file,
        `${head}\n${key},${name},,a.${key},una frase lunga\n${key},,1${key},b.${key},una frase lunga\n`,
      );
      const dry = await importOf(file, '--dry-run', ...options);
      expect(dry.code).toBe(3);
      const sides = [
        `This row: ExternalKey ${key}, Denomination ${name}, Vatnumber 1${key}, Taxcode –.`,
        `: ExternalKey 00${key}, Denomination ${name}, Vatnumber ${vatnumber}, Taxcode –.`,
      ];
      for (const side of sides) expect(dry.stderr).toContain(side);
      const { code, stdout } = await importOf(file, '--language', 'en', '--json', ...options);
      expect(code).toBe(3);
      expect(JSON.parse(stdout)).toMatchObject({
        applied: 0,
        failed: 2,
        reasons: [{ code: 'LOOKS_LIKE_ANOTHER', rows: 2, lines: [2, 3] }],
      });
      const errors = rowsOf(folder, `alike-${key}.failed.csv`).map((row) => row['Anagrafe errors']);
      expect(errors).toHaveLength(2);
      for (const error of errors) for (const side of sides) expect(error).toContain(side);
      expect(await principalsNamed(name)).toEqual([`00${key}`]);
    },
  );

  it('is accepted for the file by --similar allow, and for one principal by a column Similar', async () => {
    const [one, other] = [await storedCompany(), await storedCompany()];
    const file = `accepted-${one.key}.csv`;
    const row = ({ key, name }: typeof one, similar: string) =>
      `${key},${name},,a.${key},una frase lunga,${similar}\n${key},,,b.${key},una frase lunga,\n`;
    folder.write(file, `${head},Similar\n${row(one, 'Allow')}${row(other, '')}`);
    const { stdout } = await importOf(file, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ applied: 2, failed: 2, PrincipalsInserted: 1 });
    expect(await principalsNamed(one.name)).toEqual([`00${one.key}`, one.key]);
    expect(await principalsNamed(other.name)).toEqual([`00${other.key}`]);
    const again = await folder.run([
      'import',
      `accepted-${one.key}.failed.csv`,
      '--similar',
      'allow',
      '--json',
    ]);
    expect(JSON.parse(again.stdout)).toMatchObject({ applied: 2, failed: 0 });
    expect(await principalsNamed(other.name)).toEqual([`00${other.key}`, other.key]);
  });

  it('is reported for a wrong value of Similar', async () => {
    const { key, name } = await storedCompany();
    folder.write('wrong.csv', `${head},Similar\n${key},${name},,a.${key},una frase lunga,maybe\n`);
    const { stdout } = await importOf('wrong.csv', '--json');
    expect(JSON.parse(stdout).reasons).toContainEqual(
      expect.objectContaining({ code: 'INVALID_SIMILAR', column: 'Similar' }),
    );
  });

  it('is skipped if an earlier import of the same file without keys has created it', async () => {
    const name = `Senza Codice ${++number}`;
    folder.write('keyless.csv', `Denomination,Username,Password\n${name},no.key.${number},una frase lunga\n`);
    expect(JSON.parse((await importOf('keyless.csv', '--json')).stdout)).toMatchObject({ applied: 1 });
    expect(JSON.parse((await importOf('keyless.csv', '--json')).stdout)).toMatchObject({
      skipped: 1,
      failed: 0,
    });
    expect(await principalsNamed(name)).toHaveLength(1);
  });
});

describe('an import', () => {
  it('of several calls is one run, which the printed command undoes', async () => {
    const rows = Array.from({ length: 60 }, (_, n) => `R-${n},Run ${n},,run.${n},una frase lunga`);
    folder.write('run.csv', `${head}\n${rows.join('\n')}\n`);
    const task = taskOf(folder, 'run', service.url, {
      similar: 'refuse',
      batches: { ...batchLimits, rows: 20 },
    });
    const { run } = await runImport(task, contextOf(service.url), { restart: false });
    const { records } = await contextOf(service.url).anagrafe.admin.runs.list().page();
    expect(records.find(({ ID }) => ID === run)).toMatchObject({ Calls: 3, Users: 60, RecordsFailed: 0 });
    folder.write('small.csv', `${head}\nR-X,Run X,,run.x,una frase lunga\n`);
    const { stderr } = await importOf('small.csv');
    const [, id] = /To undo this import: npx --no -- anagrafe undo (\S+)\n/.exec(stderr) ?? [];
    expect((await inProcess(['undo', id ?? '', '--yes'], { ANAGRAFE_URL: service.url })).code).toBe(0);
    expect(await principalsNamed('Run X')).toEqual([]);
  });

  it('without --update does not take a registration of an existing user for a reset', async () => {
    await service.call('irs/insert', [
      {
        ExternalKey: 'T-1',
        Denomination: 'Taken',
        Users: [
          {
            Username: 'taken.one',
            Password: 'una frase lunga',
            ConfirmPassword: 'una frase lunga',
            Email: 'a@example.com',
          },
        ],
      },
    ]);
    folder.write(
      'taken.csv',
      'ExternalKey,Username,Email,Password\nT-1,taken.one,b@example.com,una frase lunga\n',
    );
    const { stderr } = await importOf('taken.csv');
    expect(stderr).toContain('line 2: Username:');
    expect(stderr).not.toContain('Did you mean');
  });
});
