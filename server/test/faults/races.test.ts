import { storedUsernames } from '@anagrafe/testing/figures';
import { holding, importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService } from '@anagrafe/testing/service';
import { expect, it } from 'vitest';
import { expectNoTrouble, expectOneWinnerEach, openCallers, patient } from './races.ts';

it('the service gives each of 10 usernames to exactly one of ten concurrent callers', () =>
  expectOneWinnerEach(10));

it('concurrent resets and registrations on one principal, with overlapping usernames, cause no deadlock', async () => {
  const service = await startTestService(patient);
  const principals = await insertPrincipals(service, 4);
  const [shared = 0, ...others] = principals;
  const before = await service.call(
    'irs/update',
    [{ ID: shared, Users: ['a', 'b', 'c'].map((name) => newUser(`kept ${name}`)) }],
    { headers: { prefer: 'return=representation' } },
  );
  const kept = before.body.result?.records[0]?.Item6.Users?.map((user) => user.ID) ?? [];
  expect(kept).toHaveLength(3);
  const reset = (ID: number) => ({ ID, Password: 'another horse', ConfirmPassword: 'another horse' });

  const callers = openCallers(service, 64);
  const calls = Array.from({ length: 90 }, (_, n) => {
    const wanted = [0, 1, 2].map((step) => importedUser(`crossing ${(Math.floor(n / 3) + step) % 30}`));
    const crossed = n % 2 === 0 ? wanted : wanted.toReversed();
    const turned = n % 2 === 0 ? kept : kept.toReversed();
    if (n % 3 === 0) return [{ ID: shared, Users: [...turned.map(reset), importedUser(`own ${n}`)] }];
    if (n % 3 === 1) return [{ ID: others[n % others.length], Users: crossed }];
    return [
      { ID: others[n % others.length], Users: crossed.slice(0, 2) },
      { ID: shared, Users: [reset(turned[0] ?? 0)] },
      { ID: others[(n + 1) % others.length], Users: crossed.slice(2) },
    ];
  });
  const answers = await Promise.all(calls.map((body) => callers.call(body)));
  await callers.close();

  const applied: string[] = [];
  for (const [n, { status, envelope }] of answers.entries()) {
    expect([200, 207, 422]).toContain(status);
    const records = calls[n] ?? [];
    expect(envelope.result?.records).toHaveLength(records.length);
    for (const [position, tuple] of (envelope.result?.records ?? []).entries()) {
      const { ID, Users } = records[position] ?? { ID: 0, Users: [] };
      expect(tuple.Item1).toBe(ID);
      if (ID === shared) expect(tuple.Item3).toBe(true);
      if (!tuple.Item3) expect(tuple.Item2).toBe('USERNAME_TAKEN');
      else for (const user of Users) if ('Username' in user) applied.push(user.Username);
    }
  }
  expect(new Set(applied).size).toBe(applied.length);
  const names = await storedUsernames(service.database);
  expect(names).toEqual(new Set([...applied, 'kept a', 'kept b', 'kept c']));
  await expectNoTrouble(service);
});

it('concurrent records with the same usernames in opposite orders cause no deadlock', async () => {
  const service = await startTestService(patient);
  const principals = await insertPrincipals(service, 10);
  const callers = openCallers(service, principals.length);
  const users = Array.from({ length: 20 }, (_, n) => importedUser(`user ${n}`));
  const calls: ReturnType<typeof callers.call>[] = [];
  // All writes wait for this lock and continue at the same time.
  await holding(service, ['lock table anagrafe.users in share mode'], async ({ blocked }) => {
    for (const [n, ID] of principals.entries())
      calls.push(callers.call([{ ID, Users: n % 2 === 0 ? users : users.toReversed() }]));
    await blocked(principals.length);
  });
  const answers = await Promise.all(calls);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(422)]);
  for (const { status, envelope } of answers)
    if (status === 422) expect(envelope.errorCode).toBe('USERNAME_TAKEN');
  await callers.close();
  expect((await storedUsernames(service.database)).size).toBe(20);
  await expectNoTrouble(service);
});
