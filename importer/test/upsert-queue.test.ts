import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRecords } from '../src/import/records.ts';
import type { RowGroup } from '../src/import/row-group.ts';
import { UpsertQueue } from '../src/import/upsert-queue.ts';
import type { CombinedRecord, ExistingPolicy } from '../src/index.ts';
import { readFile } from './reading.ts';

const taken = [{ code: 'USERNAME_TAKEN', message: 'This username is taken.' }] as const;

async function queueOf(lines: readonly string[], existing: ExistingPolicy = 'refuse') {
  const content = `ID,ExternalKey,Denomination,Vatnumber,Username\n${lines.join('\n')}\n`;
  const { rows } = await readFile(content, { withoutPasswords: true });
  const { upsert, update } = buildRecords(rows, existing);
  return { queue: new UpsertQueue(upsert, { existing }), update };
}

const usernames = ({ record }: RowGroup) =>
  (record as { Users: { Username: string }[] }).Users.map(({ Username }) => Username);

const numbersOf = (records: readonly CombinedRecord[]) =>
  records.flatMap(({ members }) => members.map(({ row }) => row.number));

describe('the rows of a principal', () => {
  it('are one record with all values that they state', async () => {
    const { queue, update } = await queueOf([',C1,Alfa,,a', ',C1,,3,b', ',C2,Beta,,c', ',C1,,,d', ',C3,,,e']);
    const { groups, references } = queue.take();
    expect(groups.map(({ record }) => record)).toMatchObject([
      { ExternalKey: 'C1', Denomination: 'Alfa', Vatnumber: '3' },
      { ExternalKey: 'C2', Denomination: 'Beta' },
    ]);
    expect(groups.map(usernames)).toEqual([['a', 'b', 'd'], ['c']]);
    expect(references).toEqual([]);
    // A principal that no row describes must exist.
    expect(update.map(({ record }) => record)).toMatchObject([{ ExternalKey: 'C3' }]);
  });

  it('fail alone: the other rows of a refused record are sent again', async () => {
    const { queue } = await queueOf([',C1,Alfa,,a', ',C1,Alfa,,b', ',C1,Alfa,,c']);
    const [group] = queue.take().groups as [RowGroup];
    const errors = queue.refuse(group, { 'Users[1].Username': taken } as never);
    expect([...errors.keys()]).toEqual([2]);
    expect(queue.take().groups.map(usernames)).toEqual([['a', 'c']]);
  });

  it('are several records if their values are long, which the service could refuse as one', async () => {
    const name = (n: number) => `${'x'.repeat(10_000)}${n}`;
    const { queue } = await queueOf(
      Array.from({ length: 60 }, (_, n) => `,C1,Alfa,,${name(n)}`),
      'update',
    );
    const sizes = [queue.take(), queue.take(), queue.take()].map(
      ({ groups }) => groups.map(usernames)[0]?.length,
    );
    expect(sizes).toEqual([24, 24, 12]);
  });

  it('only refer to the principal if the rows that describe it have failed', async () => {
    const { queue } = await queueOf([',C1,Alfa,,a', ',C1,,,b']);
    const [group] = queue.take().groups as [RowGroup];
    queue.refuse(group, { Denomination: taken } as never);
    const { groups, references } = queue.take();
    expect(groups).toEqual([]);
    expect(references.map(({ record }) => record)).toMatchObject([
      { ExternalKey: 'C1', Users: [{ Username: 'b' }] },
    ]);
  });

  it('beyond the size of a record only refer to the principal, once it is stored', async () => {
    const { queue } = await queueOf(Array.from({ length: 1100 }, (_, n) => `,C1,Alfa,,u${n}`));
    const [group] = queue.take().groups as [RowGroup];
    expect(usernames(group)).toHaveLength(500);
    queue.accept(group);
    const { groups, references } = queue.take();
    expect([groups.length, references.length]).toEqual([0, 600]);
    expect(references[0]?.record).toEqual({ ExternalKey: 'C1', Users: [{ Username: 'u500' }] });
  });

  it.each(['refuse', 'update'] as const)(
    'are never combined if they state different values, with the policy %s',
    async (existing) => {
      const { queue } = await queueOf([',C1,Alfa,,a', ',C1,Beta,,b', ',C1,Alfa,,c'], existing);
      expect(queue.take().groups.map(usernames)).toEqual([['a', 'c']]);
      expect(queue.take().groups.map(({ record }) => record)).toMatchObject([{ Denomination: 'Beta' }]);
    },
  );

  it('do not fail because of a row with both ID and ExternalKey, which is a record of its own', async () => {
    const { queue } = await queueOf([',C1,Alfa,,a', '7,C1,Alfa,,b', ',C1,Alfa,,c']);
    const { groups } = queue.take();
    expect(groups.map(usernames)).toEqual([['a', 'c'], ['b']]);
    expect(groups[1]?.record).toMatchObject({ ID: 7, ExternalKey: 'C1' });
  });

  it('are combined if they are JSON records, up to the maximum number of users', async () => {
    const record = (first: number, count: number) =>
      JSON.stringify({
        ExternalKey: 'C1',
        Denomination: 'Alfa',
        Users: Array.from({ length: count }, (_, n) => ({ Username: `u${first + n}`, PasswordHash: 'x' })),
      });
    const { rows } = await readFile([record(0, 300), record(300, 100), record(400, 200)].join('\n'));
    const queue = new UpsertQueue(buildRecords(rows).upsert, { existing: 'refuse' });
    const [group] = queue.take().groups as [RowGroup];
    expect(usernames(group)).toHaveLength(400);
    const errors = queue.refuse(group, { 'Users[301].Username': taken } as never);
    expect([...errors]).toMatchObject([[2, [{ column: 'Users[1].Username' }]]]);
    expect(queue.take().groups.map((next) => usernames(next).length)).toEqual([500]);
  });

  it('with a further value are sent as a record of their own after the principal is stored', async () => {
    const { queue } = await queueOf([',C1,Alfa,,a', ',C1,Beta,,b']);
    const [group] = queue.take().groups as [RowGroup];
    queue.accept(group);
    const { groups, references } = queue.take();
    expect([groups.map(usernames), references]).toEqual([[['b']], []]);
  });

  it('with a value that the service will refuse are records of their own, after the others', async () => {
    for (const existing of ['refuse', 'update'] as const) {
      const long = 'x'.repeat(300);
      const { queue } = await queueOf(
        [`,C1,${long},,a`, ',C1,Alfa,,b', `,C1,${long}y,,c`, ',C1,Alfa,,d'],
        existing,
      );
      const { groups } = queue.take();
      expect(groups.map(usernames)).toEqual([['b', 'd'], ['a'], ['c']]);
      const errors = queue.refuse(
        groups[1] as RowGroup,
        {
          Denomination: [{ code: 'TOO_LONG', message: 'Too long.' }],
          ExternalKey: [{ code: 'DUPLICATE_PRINCIPAL', message: 'Twice.' }],
        } as never,
      );
      expect([...errors]).toMatchObject([[1, [{ column: 'Denomination', message: 'Too long.' }]]]);
    }
  });

  it('wait for another record of the same principal in the call', async () => {
    const { queue } = await queueOf([',C1,Alfa,,a', '7,,Alfa,,b']);
    const [first, second] = queue.take().groups as [RowGroup, RowGroup];
    queue.accept(first);
    expect(queue.refuse(second, { ID: [{ code: 'DUPLICATE_PRINCIPAL', message: '' }] } as never).size).toBe(
      0,
    );
    expect(queue.take().groups.map(usernames)).toEqual([['b']]);
  });

  it('are each sent until they are applied or have an error, whatever the service answers', async () => {
    const row = fc.record({
      key: fc.constantFrom('C1', 'C2', 'C3'),
      denomination: fc.constantFrom('', 'Alfa', 'Beta'),
      isBad: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.constantFrom<ExistingPolicy>('refuse', 'update'),
        async (rows, existing) => {
          const lines = rows.map(({ key, denomination }, at) => `,${key},${denomination},,u${at}`);
          const { queue, update } = await queueOf(lines, existing);
          const finished = numbersOf(update);
          for (
            let next = queue.take();
            next.groups.length + next.references.length > 0;
            next = queue.take()
          ) {
            finished.push(...numbersOf(next.references));
            expect(new Set(next.groups.map(({ key }) => key)).size).toBe(next.groups.length);
            for (const group of next.groups) {
              const bad = group.members.findIndex(({ row }) => rows[row.number - 1]?.isBad);
              if (bad < 0) {
                queue.accept(group);
                finished.push(...numbersOf([group]));
              } else {
                const errors = queue.refuse(group, { [`Users[${bad}].Username`]: taken } as never);
                finished.push(...errors.keys());
              }
            }
          }
          expect(finished.sort((a, b) => a - b)).toEqual(rows.map((_, at) => at + 1));
        },
      ),
    );
  });
});
