import { finished, type Held, holding, importedUser, principalLock, submit } from '@anagrafe/testing/jobs';
import { codesOf, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { storedPrincipal, upsert } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Inserts a principal with three users, and returns a record that contains only the first of them. */
async function principalToReduce() {
  const key = unique('C');
  const [kept = '', ...others] = [unique('kept'), unique('missing'), unique('missing')];
  const Users = [kept, ...others].map((username) => importedUser(username));
  const answer = await upsert(service, [{ ExternalKey: key, Users }]);
  const id = answer.body.result?.records[0]?.Item1 ?? 0;
  return { key, id, kept, record: { ExternalKey: key, Users: [{ Username: kept }] } };
}

/** Registers a user in the transaction that blocks the write of the record. */
async function registerMeanwhile({ connection }: Held, principalId: number): Promise<void> {
  const username = unique('new');
  await connection.query(
    `insert into anagrafe.users (principal_id, username, username_key, password_hash) values ($1, $2, $2, 'no hash')`,
    [principalId, username],
  );
  await connection.query(
    `update anagrafe.principals set users_count = users_count + 1, updated_at = clock_timestamp() where id = $1`,
    [principalId],
  );
}

const usersOf = async (key: string) => (await storedPrincipal(service, key))?.users.length;

describe.each(['delete', 'disable'])('an upsert with missing=%s', (missing) => {
  it('leaves a record out if users were registered since the check that it would remove as well', async () => {
    const [changed, free] = [await principalToReduce(), await principalToReduce()];
    const answer = await holding(service, principalLock(changed.id), async (held) => {
      const answering = upsert(service, [changed.record, free.record], `missing=${missing}`);
      await held.blocked(1);
      await registerMeanwhile(held, changed.id);
      return () => answering;
    }).then((answering) => answering());
    expect([answer.status, codesOf(answer)]).toEqual([207, ['PLAN_OUTDATED', null]]);
    expect(answer.body.result?.records[0]?.Item5).toMatchObject({
      ExternalKey: [{ message: expect.stringContaining('3 users instead of 2') }],
    });
    expect(await usersOf(changed.key)).toBe(4);
  });

  it('does so as a job, too', async () => {
    const { key, id, record } = await principalToReduce();
    const job = await holding(service, principalLock(id), async (held) => {
      const submitted = await submit(service, `irs/upsert?missing=${missing}`, [record]);
      await held.blocked(1);
      await registerMeanwhile(held, id);
      return submitted;
    });
    expect(codesOf(await finished(service, job))).toEqual(['PLAN_OUTDATED']);
    expect(await usersOf(key)).toBe(4);
  });
});
