import { credential } from '@anagrafe/testing/admin';
import { newWorkFolder, rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
import { importedHash } from '@anagrafe/testing/jobs';
import { startTestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let folder: WorkFolder;
/** Settings of an API client that may only write, of another service: in protected mode there are no clients. */
let writer: Record<string, string>;

beforeAll(async () => {
  folder = newWorkFolder(await startTestService());
  const guarded = await startTestService();
  const { SyncPublicKey, SyncSecretKey } = await credential(guarded, { scopes: ['sync:write'] });
  writer = { ANAGRAFE_URL: guarded.url, ANAGRAFE_KEY: `${SyncPublicKey}.${SyncSecretKey}` };
});

const header = 'ExternalKey,Denomination,Vatnumber,Username,Email,PasswordHash';

function write(name: string, rows: readonly string[]): void {
  folder.write(`${name}.csv`, `${header}\n${rows.map((row) => `${row},"${importedHash}"`).join('\n')}\n`);
}

/** Runs a dry run and then the import. Returns the results of both. */
async function runBoth(
  name: string,
  options: readonly string[],
): Promise<readonly Record<string, unknown>[]> {
  const args = ['import', `${name}.csv`, '--json', ...options];
  return [await folder.run([...args, '--dry-run']), await folder.run(args)].map(({ stdout }) =>
    JSON.parse(stdout),
  );
}

describe('the totals of an import with --update', () => {
  it('contain the users and principals of skipped rows that name no principal', async () => {
    const rows = [
      ',Alone,,totals.anna,',
      ',Alone,,totals.carlo,',
      'totals,One,,totals.dario,',
      'totals,One,,totals.elena,',
    ];
    write('totals', rows);
    expect((await folder.run(['import', 'totals.csv', '--update'])).code).toBe(0);
    // This row names the principal of two others, by its user alone.
    write('totals', [...rows.slice(0, 3), ',One,,totals.elena,']);
    const expected = {
      applied: 0,
      skipped: 4,
      failed: 0,
      PrincipalsInserted: 0,
      PrincipalsUpdated: 0,
      PrincipalsUnchanged: 2,
      UsersUnchanged: 4,
      PasswordsNotUsed: 4,
    };
    for (const result of await runBoth('totals', ['--update'])) expect(result).toMatchObject(expected);
    for (const result of await runBoth('totals', []))
      expect(result).toMatchObject({
        skipped: 4,
        PrincipalsUnchanged: 2,
        UsersUnchanged: 4,
        PasswordsNotUsed: 4,
      });
  });
});

describe('a changed record of an import with --update', () => {
  it('counts its rows that state a value of the principal as applied, and skips the others, in a dry run too', async () => {
    const before = [
      'changed,One,,changed.anna,',
      'changed,One,,changed.carlo,',
      'changed,One,,changed.dario,',
    ];
    write('changed', before);
    expect((await folder.run(['import', 'changed.csv', '--update'])).code).toBe(0);
    write('changed', [
      'changed,One,,changed.anna,',
      'changed,One,01234567897,changed.carlo,',
      'changed,,,changed.dario,',
      'changed,One,,changed.elena,',
    ]);
    const expected = { applied: 3, skipped: 1, PrincipalsUpdated: 1, UsersRegistered: 1, UsersUnchanged: 3 };
    for (const result of await runBoth('changed', ['--update'])) expect(result).toMatchObject(expected);
  });

  it('counts all rows that state the new value as applied', async () => {
    const rows = ['same,One,,same.anna,', 'same,One,,same.carlo,'];
    write('same', rows);
    expect((await folder.run(['import', 'same.csv', '--update'])).code).toBe(0);
    write(
      'same',
      rows.map((row) => row.replace('One', 'Two')),
    );
    for (const result of await runBoth('same', ['--update']))
      expect(result).toMatchObject({ applied: 2, skipped: 0, PrincipalsUpdated: 1 });
  });

  it('counts its rows as applied for an API client that may only write', async () => {
    write('writer', ['writer,One,,writer.anna,', 'writer,One,,writer.carlo,']);
    expect((await folder.run(['import', 'writer.csv', '--update'], writer)).code).toBe(0);
    write('writer', ['writer,One,,writer.anna,', 'writer,One,01234567897,writer.carlo,']);
    for (const more of [['--dry-run'], []]) {
      const { stdout } = await folder.run(['import', 'writer.csv', '--update', '--json', ...more], writer);
      expect(JSON.parse(stdout)).toMatchObject({ applied: 2, skipped: 0, PrincipalsUpdated: 1 });
    }
  });

  it('is skipped as a whole if all of it is stored, for an API client that may only write', async () => {
    write('again', ['again,One,,again.anna,', 'again,One,,again.carlo,']);
    const args = ['import', 'again.csv', '--json'];
    expect(JSON.parse((await folder.run(args, writer)).stdout)).toMatchObject({ applied: 2 });
    const second = await folder.run([...args, '--restart'], writer);
    expect([second.code, JSON.parse(second.stdout)]).toMatchObject([
      0,
      { applied: 0, skipped: 2, failed: 0 },
    ]);
  });

  it('is divided above 500 users: later parts find its new values stored, and their rows are skipped', async () => {
    const users = Array.from({ length: 1010 }, (_, n) => `later,One,,later.${n},`);
    write('later', users);
    expect((await folder.run(['import', 'later.csv', '--update'])).code).toBe(0);
    // A record has at most 500 users. Rows of the second and third record state the value that the first one changes.
    write(
      'later',
      users.map((row, n) => (n % 2 === 0 ? row : row.replace(',One,,', ',One,01234567897,'))),
    );
    for (const result of await runBoth('later', ['--update']))
      expect(result).toMatchObject({ applied: 500, skipped: 510, PrincipalsUpdated: 1 });
  });
});

describe('a stored row', () => {
  it('is skipped if another row of its principal fails', async () => {
    write('stored', ['stored,One,,stored.anna,', 'stored,One,,stored.carlo,', 'other,Other,,stored.other,']);
    expect((await folder.run(['import', 'stored.csv'])).code).toBe(0);
    const rows = [
      'stored,One,,stored.anna,',
      'stored,One,,stored.other,',
      'stored,One,,stored.carlo,carlo@example.com',
      'stored,One,,stored.dario,no address',
    ];
    write('stored', rows);
    for (const result of await runBoth('stored', []))
      expect(result).toMatchObject({ applied: 0, skipped: 1, failed: 3 });
    for (const name of ['stored.would-fail.csv', 'stored.failed.csv'])
      expect(rowsOf(folder, name).map((row) => row['Anagrafe line'])).toEqual(['3', '4', '5']);
  });

  it('is skipped if it names no principal and its principal has further rows', async () => {
    write('further', [
      'further,One,,further.anna,',
      'further,One,,further.carlo,',
      'further,One,,further.dario,',
    ]);
    expect((await folder.run(['import', 'further.csv'])).code).toBe(0);
    write('further', [',One,,further.anna,', ',One,01234567897,further.carlo,', ',One,,further.dario,']);
    for (const result of await runBoth('further', []))
      expect(result).toMatchObject({ applied: 0, skipped: 2, failed: 1 });
  });

  it('is skipped in a JSON file that has records without the name of their principals', async () => {
    const users = (...names: string[]) =>
      names.map((Username) => ({ Username: `records.${Username}`, PasswordHash: importedHash }));
    const records = [{ Denomination: 'One', Users: users('anna', 'carlo') }];
    folder.write('records.json', JSON.stringify(records));
    expect((await folder.run(['import', 'records.json'])).code).toBe(0);
    folder.write(
      'records.json',
      JSON.stringify([...records, { Denomination: 'One', Users: users('dario') }]),
    );
    for (const more of [['--dry-run'], []]) {
      const { stdout } = await folder.run(['import', 'records.json', '--json', ...more]);
      expect(JSON.parse(stdout)).toMatchObject({ applied: 1, skipped: 1, failed: 0, UsersUnchanged: 2 });
    }
  });

  it('is skipped if its principal has more rows than a call may have users', async () => {
    const rows = Array.from({ length: 1010 }, (_, n) => `large,One,,large.${n},`);
    write('large', rows);
    expect((await folder.run(['import', 'large.csv'])).code).toBe(0);
    for (const result of await runBoth('large', []))
      expect(result).toMatchObject({ applied: 0, skipped: 1010, failed: 0 });
  });
});

describe('the lines of skipped rows', () => {
  it('are printed if other rows are applied', async () => {
    write('lines', ['lines-1,One,,lines.anna,', 'lines-1,One,,lines.carlo,', 'lines-2,Two,,lines.elena,']);
    expect((await folder.run(['import', 'lines.csv', '--update'])).code).toBe(0);
    const more = Array.from({ length: 20 }, (_, n) => `lines-3-${n},Three,,lines.${n},`);
    write('lines', [
      'lines-1,One,,lines.anna,',
      'lines-1,One,,lines.dario,',
      ...more,
      'lines-2,Two,,lines.elena,',
    ]);
    const { stderr } = await folder.run(['import', 'lines.csv', '--update']);
    expect(stderr).toContain(
      '  2 rows skipped, because all of their values were stored already (lines 2, 24).\n',
    );
  });
});
