import {
  finished,
  holding,
  importedUser,
  jobOf,
  principalLock,
  principalsLock,
  readJob,
  sendJob,
  submit,
} from '@anagrafe/testing/jobs';
import { codesOf, insertPrincipal, unique } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { counts, planOf, storedPrincipal, storedRows, upsert } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Inserts a principal with a user. */
async function company() {
  const username = unique('user');
  const Users = [importedUser(username)];
  return { ...(await insertPrincipal(service, { Denomination: 'Alfa Srl', Users })), username };
}

describe('a job of upserts', () => {
  it('applies the options of the call, and has the counts of all changes when it has ended', async () => {
    const [one, other] = [await company(), await company()];
    const added = unique('C');
    const records = [
      { ExternalKey: one.key, Denomination: 'Beta Srl', Users: [newUser(one.username)] },
      { ExternalKey: other.key, Denomination: 'Alfa Srl' },
      { ExternalKey: added, Users: [newUser(unique('user'))] },
      { ExternalKey: one.key, Denomination: 'Twice' },
    ];
    const submitted = await sendJob(service, 'irs/upsert?passwords=overwrite', records);
    expect(jobOf(submitted)).toMatchObject({ Operation: 'upsert', Counts: null });
    const ended = await finished(service, jobOf(submitted).ID);
    expect(codesOf(ended)).toEqual([null, null, null, 'DUPLICATE_PRINCIPAL']);
    expect(jobOf(ended)).toMatchObject({
      RecordsFailed: 1,
      Counts: counts({
        PrincipalsInserted: 1,
        PrincipalsUpdated: 1,
        UsersRegistered: 1,
        UsersUpdated: 1,
        Unchanged: 1,
      }),
    });
    const read = await readJob(service, jobOf(ended).ID, { prefer: 'return=representation' });
    expect(read.body.result?.records.map(({ Item6 }) => Item6)).toMatchObject([
      { Principal: 'updated', Users: [{ Operation: 'edit', Changed: ['Password'] }] },
      { Principal: 'unchanged', Users: [] },
      { Principal: 'inserted', Users: [{ Operation: 'register' }] },
      { ExternalKey: one.key },
    ]);
  });

  it('writes no row, no audit row and no event for unchanged records', async () => {
    const { key, username } = await company();
    const before = await storedRows(service);
    const id = await submit(service, 'irs/upsert', [
      { ExternalKey: key, Denomination: 'Alfa Srl', Users: [{ Username: username }] },
    ]);
    expect(jobOf(await finished(service, id))).toMatchObject({ Counts: counts({ Unchanged: 1 }) });
    expect(await storedRows(service)).toEqual(before);
  });

  it('ends with its submission if no record changes anything', async () => {
    const { id: principal, key, username } = await company();
    const records = [{ ExternalKey: key, Denomination: 'Alfa Srl', Users: [{ Username: username }] }];
    const submitted = jobOf(await sendJob(service, 'irs/upsert', records));
    expect(submitted).toMatchObject({ Records: 1, RecordsDone: 1, RecordsFailed: 0 });
    const ended = await readJob(service, submitted.ID, { prefer: 'return=representation' });
    expect(jobOf(ended)).toMatchObject({ State: 'completed', Counts: counts({ Unchanged: 1 }) });
    expect(ended.body.result?.records).toMatchObject([
      { Item1: principal, Item3: true, Item6: { Principal: 'unchanged', Users: [{ Username: username }] } },
    ]);
  });

  it('compares a record that changes nothing again while an earlier job has not ended', async () => {
    const [one, other] = [await company(), await company()];
    const id = await holding(service, principalLock(one.id), async ({ blocked }) => {
      await submit(service, 'irs/upsert', [{ ExternalKey: one.key, Denomination: 'Beta Srl' }]);
      await blocked(1);
      const records = [{ ExternalKey: other.key, Denomination: 'Alfa Srl' }];
      const submitted = jobOf(await sendJob(service, 'irs/upsert', records));
      expect(submitted).toMatchObject({ RecordsDone: 0 });
      return submitted.ID;
    });
    expect(jobOf(await finished(service, id))).toMatchObject({ Counts: counts({ Unchanged: 1 }) });
  });

  it('compares its records with the data that is stored when it runs, not when it was submitted', async () => {
    const { id: principal, key, username } = await company();
    const inserted = unique('C');
    const jobId = await holding(service, principalsLock, async ({ connection }) => {
      const id = await submit(service, 'irs/upsert', [
        { ExternalKey: key, Denomination: 'Beta Srl', Users: [newUser(username)] },
        { ExternalKey: inserted, Denomination: 'Beta Srl' },
      ]);
      await connection.query('delete from anagrafe.users where username_key = $1', [username]);
      await connection.query(
        `update anagrafe.principals set denomination = 'Beta Srl', users_count = 0, updated_at = clock_timestamp()
          where id = $1`,
        [principal],
      );
      await connection.query(
        `insert into anagrafe.principals (external_key, denomination, search_terms) values ($1, 'Alfa Srl', '')`,
        [inserted],
      );
      return id;
    });
    const ended = await finished(service, jobId);
    expect(codesOf(ended)).toEqual([null, null]);
    expect(jobOf(ended)).toMatchObject({ Counts: counts({ PrincipalsUpdated: 1, UsersRegistered: 1 }) });
    expect(await storedPrincipal(service, key)).toMatchObject({ users_count: 1, users: [{ username }] });
    expect(await storedPrincipal(service, inserted)).toMatchObject({ denomination: 'Beta Srl' });
  });

  it('fails a record with PLAN_OUTDATED if its data has changed after the submission', async () => {
    const [changed, same] = [await company(), await company()];
    const records = [changed, same].map(({ key }) => ({ ExternalKey: key, Denomination: 'Beta Srl' }));
    const plan = planOf(await upsert(service, records, 'dryRun=true'));
    const jobId = await holding(
      service,
      principalLock(changed.id, same.id),
      async ({ blocked, connection }) => {
        const submitted = await sendJob(service, 'irs/upsert', records, { 'if-match': `"${plan}"` });
        await blocked(1);
        await connection.query(
          'update anagrafe.principals set name = $2, updated_at = clock_timestamp() where id = $1',
          [changed.id, 'X'],
        );
        return jobOf(submitted).ID;
      },
    );
    const ended = await finished(service, jobId);
    expect(codesOf(ended)).toEqual(['PLAN_OUTDATED', null]);
    expect(await storedPrincipal(service, changed.key)).toMatchObject({ denomination: 'Alfa Srl' });
    expect(await storedPrincipal(service, same.key)).toMatchObject({ denomination: 'Beta Srl' });
  });

  it('returns failed records that clear no field if they are sent again', async () => {
    const { key, username } = await company();
    await upsert(service, [{ ExternalKey: key, Users: [{ Username: username, Email: 'a@example.com' }] }]);
    const id = await submit(service, 'irs/upsert', [
      {
        ExternalKey: key,
        Denomination: 'x'.repeat(2000),
        Users: [{ Username: username, Email: 'not an address', Phone: '' }],
      },
    ]);
    await finished(service, id);
    const failed = JSON.parse((await readJob(service, `${id}/failed`)).text) as unknown[];
    const before = await storedPrincipal(service, key);
    const again = await upsert(service, failed);
    expect(again.status).toBe(422);
    expect(await storedPrincipal(service, key)).toEqual(before);
  });
});
