import { Anagrafe } from '@anagrafe/client';
import { readFile } from '@anagrafe/testing/import-file';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, type Call, sendRows } from '../src/import/send.ts';
import type { CombinedRecord, ExistingPolicy, ImportRow } from '../src/index.ts';

const taken = [{ code: 'USERNAME_TAKEN', message: 'This username is taken.' }];
const applied: Answer = { Item3: true, Item4: null, Item5: {} };
const refused = (fieldErrors: object): Answer => ({ Item3: false, Item4: null, Item5: fieldErrors as never });

async function rowsOf(lines: readonly string[]): Promise<readonly ImportRow[]> {
  const content = `ID,ExternalKey,Denomination,Vatnumber,Username\n${lines.join('\n')}\n`;
  return (await readFile(content, { withoutPasswords: true })).rows;
}

/** Sends rows as a dry run, whose answers `answer` gives, and returns the calls and the errors of the rows. */
async function sent(
  rows: readonly ImportRow[],
  answer: (record: CombinedRecord, call: Call) => Answer = () => applied,
  existing: ExistingPolicy = 'refuse',
) {
  const calls: { operation: string; records: readonly CombinedRecord[] }[] = [];
  const errors = await sendRows(rows, {
    anagrafe: new Anagrafe({ url: 'http://127.0.0.1:1' }),
    rules: { existing, similar: 'refuse', moves: 'refuse' },
    isDryRun: true,
    send: async (call) => {
      calls.push({ operation: call.operation, records: call.records });
      return call.records.map((record) => answer(record, call));
    },
  });
  return { calls: calls.filter(({ records }) => records.length > 0), errors };
}

const usernames = ({ record }: CombinedRecord) =>
  (record as { Users: { Username: string }[] }).Users.map(({ Username }) => Username);

const usernamesOf = (calls: readonly { records: readonly CombinedRecord[] }[]) =>
  calls.map(({ records }) => records.map(usernames));

describe('the rows of a principal', () => {
  it('are one record with all values that they state', async () => {
    const rows = await rowsOf([',C1,Alfa,,a', ',C1,,3,b', ',C2,Beta,,c', ',C1,,,d', ',C3,,,e', ',C3,,,f']);
    const { calls } = await sent(rows);
    expect(calls.map(({ operation, records }) => [operation, records.map(({ record }) => record)])).toEqual([
      [
        'upsert',
        [
          expect.objectContaining({ ExternalKey: 'C1', Denomination: 'Alfa', Vatnumber: '3' }),
          expect.objectContaining({ ExternalKey: 'C2', Denomination: 'Beta' }),
        ],
      ],
      // A principal that no row describes must exist.
      [
        'update',
        [
          {
            ExternalKey: 'C3',
            Users: [
              { Username: 'e', Operation: 'register' },
              { Username: 'f', Operation: 'register' },
            ],
          },
        ],
      ],
    ]);
    expect(usernamesOf(calls)).toEqual([[['a', 'b', 'd'], ['c']], [['e', 'f']]]);
  });

  it('fail alone: the other rows of a refused record are sent again', async () => {
    const rows = await rowsOf([',C1,Alfa,,a', ',C1,Alfa,,b', ',C1,Alfa,,c']);
    const { calls, errors } = await sent(rows, (record) =>
      usernames(record).includes('b') ? refused({ 'Users[1].Username': taken }) : applied,
    );
    expect([...errors.keys()]).toEqual([2]);
    expect(usernamesOf(calls)).toEqual([[['a', 'b', 'c']], [['a', 'c']]]);
  });

  it('are several records if their values are long, which the service could refuse as one', async () => {
    const name = (n: number) => `${'x'.repeat(10_000)}${n}`;
    const rows = await rowsOf(Array.from({ length: 60 }, (_, n) => `,C1,Alfa,,${name(n)}`));
    const { calls } = await sent(rows);
    expect(usernamesOf(calls).map(([first]) => first?.length)).toEqual([24, 24, 12]);
  });

  it('only refer to the principal if the rows that describe it have failed', async () => {
    const { calls } = await sent(await rowsOf([',C1,Alfa,,a', ',C1,,,b']), ({ record }) =>
      'Denomination' in record ? refused({ Denomination: taken }) : applied,
    );
    expect(calls.at(-1)).toMatchObject({
      operation: 'update',
      records: [{ record: { ExternalKey: 'C1', Users: [{ Username: 'b' }] } }],
    });
  });

  it('are records of at most 500 users', async () => {
    const rows = await rowsOf(Array.from({ length: 1100 }, (_, n) => `,C1,Alfa,,u${n}`));
    const { calls } = await sent(rows);
    expect(usernamesOf(calls).map(([first]) => first?.length)).toEqual([500, 500, 100]);
  });

  it.each(['refuse', 'update'] as const)(
    'are never combined if they state different values, with the policy %s',
    async (existing) => {
      const rows = await rowsOf([',C1,Alfa,,a', ',C1,Beta,,b', ',C1,Alfa,,c']);
      const { calls } = await sent(rows, () => applied, existing);
      expect(usernamesOf(calls)).toEqual([[['a', 'c']], [['b']]]);
      expect(calls[1]?.records[0]?.record).toMatchObject({ Denomination: 'Beta' });
    },
  );

  it('are combined if they are JSON records, up to the maximum number of users', async () => {
    const record = (first: number, count: number) =>
      JSON.stringify({
        ExternalKey: 'C1',
        Denomination: 'Alfa',
        Users: Array.from({ length: count }, (_, n) => ({ Username: `u${first + n}`, PasswordHash: 'x' })),
      });
    const { rows } = await readFile([record(0, 300), record(300, 100), record(400, 200)].join('\n'));
    const { calls, errors } = await sent(rows, (combined) =>
      usernames(combined)[301] === 'u301' ? refused({ 'Users[301].Username': taken }) : applied,
    );
    expect([...errors]).toMatchObject([[2, [{ column: 'Users[1].Username' }]]]);
    expect(usernamesOf(calls).map(([first]) => first?.length)).toEqual([400, 500]);
  });

  it('wait for another record of the same principal in the call', async () => {
    let calls = 0;
    const result = await sent(await rowsOf([',C1,Alfa,,a', '7,,Alfa,,b']), ({ record }) => {
      const isFirst = calls++ < 2;
      return 'ID' in record && isFirst
        ? refused({ ID: [{ code: 'DUPLICATE_PRINCIPAL', message: '' }] })
        : applied;
    });
    expect(result.errors.size).toBe(0);
    expect(usernamesOf(result.calls)).toEqual([[['a'], ['b']], [['b']]]);
  });

  it('are each sent until they are applied or have an error, whatever the service answers', async () => {
    const row = fc.record({
      key: fc.constantFrom('', 'C1', 'C2', 'C3'),
      denomination: fc.constantFrom('Alfa', 'Beta', ''),
      isBad: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.constantFrom<ExistingPolicy>('refuse', 'update'),
        async (lines, existing) => {
          const rows = await rowsOf(
            lines.map(({ key, denomination }, at) => `,${key},${key === '' ? 'Own' : denomination},,u${at}`),
          );
          const finished: number[] = [];
          const { calls, errors } = await sent(
            rows,
            (record) => {
              const bad = record.members.findIndex((member) => lines[member.row.number - 1]?.isBad);
              if (bad >= 0) return refused({ [`Users[${bad}].Username`]: taken });
              finished.push(...record.members.map((member) => member.row.number));
              return applied;
            },
            existing,
          );
          for (const { operation, records } of calls) {
            const keys = records.map(({ record }) => (record as { ExternalKey?: string }).ExternalKey);
            if (operation === 'upsert') expect(new Set(keys).size).toBe(keys.length);
          }
          const all = [...finished, ...errors.keys()].sort((a, b) => a - b);
          expect(all).toEqual(lines.map((_, at) => at + 1));
        },
      ),
    );
  });
});

describe('rows of a principal without a key', () => {
  const fileOf = async (lines: readonly string[]) =>
    (
      await readFile(`Denomination,Username,State,PrincipalState\n${lines.join('\n')}\n`, {
        withoutPasswords: true,
      })
    ).rows;

  it('create it with their active users, whose state is not sent', async () => {
    const { calls, errors } = await sent(await fileOf(['Alfa,a,active,Attivo']));
    expect(errors.size).toBe(0);
    expect(calls).toMatchObject([{ operation: 'insert' }]);
    expect(calls[0]?.records[0]?.record).toEqual({ Denomination: 'Alfa', Users: [{ Username: 'a' }] });
  });

  it('fail if they would be disabled, which a new one cannot be', async () => {
    const { calls, errors } = await sent(
      await fileOf(['Alfa,a,disabled,', 'Beta,b,,Cessato', 'Gamma,,,Cessato']),
    );
    expect(calls).toEqual([]);
    expect([...errors.values()].flat().map(({ code }) => code)).toEqual(
      Array(3).fill('DISABLED_WITHOUT_KEY'),
    );
  });
});
