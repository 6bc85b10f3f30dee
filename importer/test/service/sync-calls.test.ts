import { Anagrafe } from '@anagrafe/client';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyPlan, openImportFile, planSync, readSyncFile, UnsettledPlanError } from '../../src/index.ts';

let service: TestService;
let number = 0;

beforeAll(async () => {
  service = await startTestService();
});

/** Stores the companies `A`, `B` and `C`, each with two users, and returns the beginnings of their keys and usernames. */
async function companies() {
  const [key, name] = [`call-${++number}-`, `call.${number}.`];
  const company = (letter: string) => ({
    ExternalKey: `${key}${letter}`,
    Denomination: `${key}${letter}`,
    Users: [newUser(`${name}${letter.toLowerCase()}1`), newUser(`${name}${letter.toLowerCase()}2`)],
  });
  await service.call('irs/insert', [company('A'), company('B'), company('C')]);
  return { key, name };
}

interface Limits {
  readonly users: number;
  readonly revisions?: number;
  readonly isPartial?: boolean;
}

/** Plans rows of `ExternalKey;Denomination;Username;Email`, with at most `users` users in a call. */
async function plan(
  rows: readonly string[],
  missing: 'keep' | 'disable',
  { users, revisions = 8, isPartial = false }: Limits,
) {
  const text = ['ExternalKey;Denomination;Username;Email', ...rows, ''].join('\n');
  const bytes = new Response(text).body as ReadableStream<Uint8Array>;
  const file = await openImportFile(bytes as never, { withoutPasswords: true });
  const anagrafe = new Anagrafe({ url: service.url });
  const { records } = await readSyncFile(file, { clearEmpty: false, generate: null }, { anagrafe });
  const rules = { missing, moves: 'allow', similar: 'allow' } as const;
  const limits = { call: { users, characters: 1_000_000 }, revisions };
  const planned = await planSync(records, { rules, isPartial, onProgress: () => {}, limits }, { anagrafe });
  const apply = () =>
    applyPlan(planned.calls, {
      anagrafe,
      rules,
      name: `calls-${number}`,
      isSequential: true,
      wait: (id) => anagrafe.jobs.wait(id, { pollMs: 20 }),
    });
  return { planned, apply };
}

async function usersOf(ExternalKey: string): Promise<string[]> {
  const { body } = await service.call<{ Users: { Username: string; State: string }[] }>('irs/list', {
    ExternalKey,
  });
  return (body.result?.records[0]?.Users ?? []).map(({ Username, State }) => `${Username} ${State}`).sort();
}

describe('a sync of several calls that moves a user between principals of the file', () => {
  it.each(['disable', 'keep'] as const)(
    'puts both principals into one call with the policy %s, although another one is between them',
    async (missing) => {
      const { key, name } = await companies();
      const { planned, apply } = await plan(
        [
          `${key}B;${key}B;${name}b1;changed.${name}b1@example.com`,
          `${key}B;${key}B;${name}a1;`,
          `${key}C;${key}C;${name}c1;`,
          `${key}A;Renamed ${number};${name}a2;`,
        ],
        missing,
        { users: 3 },
      );
      expect(planned.failed).toMatchObject([]);
      expect(await apply()).toEqual([]);
      expect(await usersOf(`${key}A`)).toEqual([`${name}a2 active`]);
      expect(await usersOf(`${key}B`)).toContain(`${name}a1 active`);
    },
  );

  it.each(['disable', 'keep'] as const)(
    'reports both principals with the policy %s if they are too large for one call, and changes neither',
    async (missing) => {
      const { key, name } = await companies();
      const { planned, apply } = await plan(
        [`${key}B;${key}B;${name}b1;`, `${key}B;${key}B;${name}a1;`, `${key}A;Renamed ${number};${name}a2;`],
        missing,
        { users: 2 },
      );
      const message = expect.stringContaining('Users move between this principal and others of the file');
      expect(planned.failed).toMatchObject([
        { number: 1, line: 2, errors: [{ code: 'EXCHANGE_TOO_LARGE', message }] },
        { number: 3, line: 4, errors: [{ code: 'EXCHANGE_TOO_LARGE', message }] },
      ]);
      expect(planned.failedRecords).toHaveLength(2);
      expect(await apply()).toEqual([]);
      expect(await usersOf(`${key}A`)).toEqual([`${name}a1 active`, `${name}a2 active`]);
    },
  );
});

it('a sync whose plan still changes after the last revision is refused, and not used as it is', async () => {
  const { key, name } = await companies();
  const rows = [`${key}A;${key}A;${name}a1;no address`, `${key}A;${key}A;${name}a2;`];
  const options = { users: 10, isPartial: true };
  await expect(plan(rows, 'disable', { ...options, revisions: 0 })).rejects.toBeInstanceOf(
    UnsettledPlanError,
  );
  // Without the refused user, and then with the stored one, which the file has.
  expect((await plan(rows, 'disable', { ...options, revisions: 2 })).planned.leftOut).toHaveLength(1);
});
