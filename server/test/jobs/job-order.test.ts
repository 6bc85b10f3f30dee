import { wrongFigures } from '@anagrafe/testing/figures';
import {
  done,
  finished,
  type Held,
  holding,
  importedUser,
  principalLock,
  readJob,
  submit,
} from '@anagrafe/testing/jobs';
import { range } from '@anagrafe/testing/records';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verifyPassword } from '@anagrafe/testing/verify-password';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Inserts a principal with one user, and returns their IDs. */
async function principalWithUser(username: string): Promise<{ ID: number; user: number }> {
  const { body } = await service.call('irs/insert', [{ Name: 'Owner', Users: [importedUser(username)] }], {
    headers: { prefer: 'return=representation' },
  });
  const tuple = body.result?.records[0];
  return { ID: tuple?.Item1 ?? 0, user: tuple?.Item6.Users?.[0]?.ID ?? 0 };
}

const reset = (ID: number, user: number, Password: string) => ({
  ID,
  Users: [{ ID: user, Password, ConfirmPassword: Password }],
});

async function hasPassword(user: number, password: string): Promise<boolean> {
  const [stored] = await service.database.query<{ hash: string }>(
    'select password_hash as hash from anagrafe.users where id = $1',
    [user],
  );
  return verifyPassword(password, stored?.hash ?? '');
}

const cancelWaiting = ({ connection }: Held) =>
  connection.query(`select pg_cancel_backend(pid) from pg_locks
                     where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`);

describe('the IDs of principals that a job inserts', () => {
  it('follow the order sent, over all of its chunks', async () => {
    const tuples = await done(
      service,
      'irs/insert',
      range(700).map((n) => ({ ExternalKey: `in order ${n}` })),
    );
    const ids = tuples.map((tuple) => tuple.Item1 ?? 0);
    expect(new Set(ids).size).toBe(700);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    const stored = await service.database.query<{ key: string }>(
      'select external_key as key from anagrafe.principals where id = any($1) order by id',
      [ids],
    );
    expect(stored.map(({ key }) => key)).toEqual(range(700).map((n) => `in order ${n}`));
  });

  it('are followed by those of their users, in the order sent', async () => {
    const users = (n: number) => range(3).map((m) => importedUser(`numbered ${n} ${m}`));
    const records = range(100).map((n) => ({ Name: `Numbered ${n}`, Users: users(n) }));
    const id = await submit(service, 'irs/insert', records);
    await finished(service, id);
    const { body } = await readJob(service, id, { prefer: 'return=representation' });
    const written = (body.result?.records ?? []).flatMap((tuple) => tuple.Item6.Users ?? []);
    const names = range(100).flatMap((n) => users(n).map((user) => user.Username));
    expect(written.map((user) => user.Username)).toEqual(names);
    const ids = written.map((user) => user.ID);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  });
});

describe('the records of one principal in a job', () => {
  it('are applied in the order sent, so that the last password is the stored one', async () => {
    const { ID, user } = await principalWithUser('changes often');
    const passwords = range(12).map((n) => `sentence number ${n}`);
    const tuples = await done(
      service,
      'irs/update',
      passwords.map((password) => reset(ID, user, password)),
    );
    expect(tuples.filter((tuple) => !tuple.Item3)).toEqual([]);
    expect(await hasPassword(user, 'sentence number 11')).toBe(true);
  });

  it('are applied in the order sent if hundreds of users are between them', async () => {
    const { ID, user } = await principalWithUser('far apart');
    const others = await insertPrincipals(service, 3);
    const between = others.map((other, n) => ({
      ID: other,
      Users: range(120).map((m) => importedUser(`between ${n} ${m}`)),
    }));
    const tuples = await done(service, 'irs/update', [
      reset(ID, user, 'the first sentence'),
      ...between,
      reset(ID, user, 'the last sentence'),
    ]);
    expect(tuples.map((tuple) => tuple.Item3)).toEqual(Array(5).fill(true));
    expect(await hasPassword(user, 'the last sentence')).toBe(true);
  });

  it('keep their order if the write of the first one is cancelled and retried', async () => {
    const { ID, user } = await principalWithUser('not at first');
    const id = await holding(service, principalLock(ID), async (held) => {
      const records = [reset(ID, user, 'the first sentence'), reset(ID, user, 'the last sentence')];
      const job = await submit(service, 'irs/update', records);
      await held.blocked(1);
      await cancelWaiting(held);
      // The second attempt of the chunk waits for the same lock, with the first record before the second.
      await expect.poll(() => attempts(job)).toBe(2);
      await held.blocked(1);
      return job;
    });
    const { body } = await finished(service, id);
    expect(body.result?.records.map((tuple) => tuple.Item3)).toEqual([true, true]);
    expect(await hasPassword(user, 'the last sentence')).toBe(true);
  });

  it('keep their order if the call is sent again with its key', async () => {
    const { ID, user } = await principalWithUser('sent again');
    const records = [reset(ID, user, 'the first sentence'), reset(ID, user, 'the last sentence')];
    const send = () =>
      service.call('irs/update', records, { headers: { 'idempotency-key': 'keeps-the-order' } });
    const first = await holding(service, principalLock(ID), async (held) => {
      const answer = send();
      await held.blocked(1);
      await cancelWaiting(held);
      return answer;
    });
    expect([first.status, first.body.errorCode]).toEqual([503, 'UNAVAILABLE']);
    expect(first.body.result?.records.map((tuple) => tuple.Item2)).toEqual(['NOT_APPLIED', 'NOT_APPLIED']);
    const second = await send();
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotency-replayed')).toBeNull();
    expect(await hasPassword(user, 'the last sentence')).toBe(true);
  });
});

async function attempts(job: string): Promise<number | undefined> {
  const [chunk] = await service.database.query<{ attempts: number }>(
    'select attempts from anagrafe.chunks where call_id = $1',
    [job],
  );
  return chunk?.attempts;
}

describe('a unique value in two records of a job', () => {
  it('is assigned to the first valid record, at any distance between them', async () => {
    const [ID = 0, other = 0] = await insertPrincipals(service, 2);
    const crowd = range(520).map((n) => importedUser(`crowd ${n}`));
    const tuples = await done(service, 'irs/update', [
      { ID, Users: [importedUser('wanted'), importedUser(' faulty ')] },
      { ID, Users: [importedUser('WANTED')] },
      { ID: other, Users: crowd },
      { ID: other, Users: [importedUser('Wanted')] },
    ]);
    expect(tuples.map((tuple) => tuple.Item2)).toEqual(['INVALID_USERS', null, null, 'USERNAME_TAKEN']);
    const stored = `select username from anagrafe.users where username_key = 'wanted'`;
    expect(await service.database.query(stored)).toEqual([{ username: 'WANTED' }]);
  });

  it('is assigned to the first record if it is an external key', async () => {
    const record = (ExternalKey: string) => ({ ExternalKey });
    const crowd = range(600).map((n) => record(`key of the crowd ${n}`));
    const tuples = await done(service, 'irs/insert', [record('twice'), ...crowd, record('twice')]);
    expect(tuples.filter((tuple) => !tuple.Item3)).toEqual([tuples[601]]);
    expect(tuples[601]).toMatchObject({ Item1: null, Item2: 'EXTERNAL_KEY_TAKEN' });
  });
});

describe('a username that another call registers while a job waits', () => {
  it('causes the refusal of only the record that contains it', async () => {
    const [ID = 0, other = 0] = await insertPrincipals(service, 2);
    const id = await holding(service, principalLock(ID), async ({ blocked }) => {
      const job = await submit(service, 'irs/update', [
        { ID, Users: [newUser('meanwhile'), newUser('beside meanwhile')] },
        { ID, Users: [newUser('after meanwhile')] },
      ]);
      await blocked(1);
      const faster = await service.call('irs/update', [{ ID: other, Users: [newUser('Meanwhile')] }]);
      expect(faster.status).toBe(200);
      return job;
    });
    const { body } = await finished(service, id);
    expect(body.result?.records.map((tuple) => tuple.Item2)).toEqual(['USERNAME_TAKEN', null]);
    expect(Object.keys(body.result?.records[0]?.Item5 ?? {})).toEqual(['Users[0].Username']);
    const rows = await service.database.query<{ username: string }>(
      `select username from anagrafe.users where username ilike '%meanwhile' order by username_key`,
    );
    expect(rows.map((row) => row.username)).toEqual(['after meanwhile', 'Meanwhile']);
  });

  it('is registered by one of two jobs that passed the check, and each record is atomic', async () => {
    const owners = await insertPrincipals(service, 2);
    const recordsOf = (ID: number) =>
      range(40).map((n) => ({ ID, Users: [importedUser(`both ${n}`), importedUser(`only ${ID} ${n}`)] }));
    const ids = await holding(service, principalLock(...owners), async ({ blocked }) => {
      const jobs = await Promise.all(owners.map((ID) => submit(service, 'irs/update', recordsOf(ID))));
      await blocked(2);
      return jobs;
    });
    const tuples = await Promise.all(
      ids.map(async (id) => (await finished(service, id)).body.result?.records ?? []),
    );
    for (const n of range(40)) {
      const codes = tuples.map((one) => one[n]?.Item2);
      expect(codes.toSorted()).toEqual(['USERNAME_TAKEN', null].toSorted());
    }
    expect(await wrongFigures(service.database)).toEqual([]);
  });
});
