import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { importedUser } from '@anagrafe/testing/jobs';
import { signedIn } from '@anagrafe/testing/login';
import { range } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { auditFields } from '../../src/audit/audit.routes.ts';
import { openAuditStore } from '../../src/audit/audit.store.ts';
import { exportedLines, verifyStoredAuditLog } from '../../src/cli/commands/audit.ts';
import { openRetention } from '../../src/retention.ts';
import { readConfig } from '../../src/settings/config.ts';

type Row = Omit<ReturnType<typeof auditFields>, 'At'> & { readonly At: string };

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  office = await credential(service);
});

async function rows(query: string): Promise<Row[]> {
  await allHashed(service);
  return (await admin<Row>(`GET audit?pageSize=1000&${query}`, office)).body.result?.records ?? [];
}

const verify = () => verifyStoredAuditLog(service.config, null);

async function insert(record: object): Promise<{ id: number; userIds: number[] }> {
  const headers = { ...office, prefer: 'return=representation' };
  const { body } = await service.call('irs/insert', [{ Name: 'Test', ...record }], { headers });
  const [tuple] = body.result?.records ?? [];
  return { id: tuple?.Item1 ?? 0, userIds: (tuple?.Item6.Users ?? []).map(({ ID }) => ID) };
}

async function change(operation: string, record: object) {
  const { status, text } = await service.call(`irs/${operation}`, [record], { headers: office });
  expect(status, text).toBe(200);
}

async function stored(): Promise<number> {
  const [row] = await service.database.query<{ count: number }>(
    'select count(*)::integer as count from anagrafe.changed_values',
  );
  return row?.count ?? 0;
}

describe('the audit log', () => {
  it('shows the old and new value of each changed field, of the principal first', async () => {
    const { id, userIds } = await insert({
      Denomination: 'Rossi',
      Users: [importedUser('changes.one', { Email: 'one@old.example', Attributes: { Role: 'clerk' } })],
    });
    const [user] = userIds;
    const edit = {
      ID: user,
      Operation: 'edit',
      NewUsername: 'changes.renamed',
      Email: 'one@new.example',
      Phone: '055 "1"\\2, {3}',
      Attributes: { Role: 'manager' },
      State: 'disabled',
    };
    await change('update', { ID: id, Denomination: 'Rossi Srl', NewExternalKey: 'K-1', Users: [edit] });
    const [last] = (await rows(`principal=${id}&order=newest&action=update`)) as [Row];
    expect(last.Changes).toEqual([
      { UserID: null, Field: 'ExternalKey', Old: null, New: 'K-1' },
      { UserID: null, Field: 'Denomination', Old: 'Rossi', New: 'Rossi Srl' },
      { UserID: user, Field: 'Username', Old: 'changes.one', New: 'changes.renamed' },
      { UserID: user, Field: 'Email', Old: 'one@old.example', New: 'one@new.example' },
      { UserID: user, Field: 'Phone', Old: null, New: '055 "1"\\2, {3}' },
      { UserID: user, Field: 'Attributes', Old: { Role: 'clerk' }, New: { Role: 'manager' } },
      { UserID: user, Field: 'State', Old: 'active', New: 'disabled' },
    ]);
    expect(last.MoreChanges).toBe(false);
    expect(await verify()).toMatchObject({ sound: true });
  });

  it('shows the changes of irs/state and of a synchronisation that disables missing users', async () => {
    const { id, userIds } = await insert({
      ExternalKey: 'SYNC-1',
      Users: [importedUser('sync.stays'), importedUser('sync.leaves')],
    });
    await change('state', { ID: id, State: 'disabled' });
    await change('upsert?missing=disable', { ExternalKey: 'SYNC-1', Users: [{ Username: 'sync.stays' }] });
    const found = await rows(`principal=${id}`);
    expect(found.map(({ Changes }) => Changes)).toEqual([
      [],
      [{ UserID: null, Field: 'State', Old: 'active', New: 'disabled' }],
      [{ UserID: userIds[1], Field: 'State', Old: 'active', New: 'disabled' }],
    ]);
  });

  it('stores no values of new users, of deletions and of passwords', async () => {
    const before = await stored();
    const { id, userIds } = await insert({ Users: [importedUser('no.values')] });
    await change('update', { ID: id, Users: [importedUser('no.values.2')] });
    const reset = { ...newUser(''), Username: undefined, ID: userIds[0] };
    await change('update', { ID: id, Users: [reset] });
    const overwritten = { ...importedUser('no.values.2'), PasswordHash: importedUser('x').PasswordHash };
    await change('upsert?passwords=overwrite', { ID: id, Users: [overwritten] });
    await change('delete', { ID: id, Users: [{ ID: userIds[0] }] });
    expect(await stored()).toBe(before);
  });

  it('divides the changed values of thousands of users among its rows, and reads them in pages', async () => {
    const users = range(2100).map((at) => importedUser(`many.${at}`, { Phone: 'old' }));
    const submitted = await insert({ Denomination: 'Many', Users: users.slice(0, 1000) });
    const { id } = submitted;
    await change('update', { ID: id, Users: users.slice(1000, 1900) });
    const all = users.slice(0, 1900).map(({ Username }) => ({ Username, Phone: 'new' }));
    const keyed = { headers: { ...office, 'idempotency-key': 'many', prefer: 'respond-async' } };
    const { body } = await service.call('irs/upsert', [{ ID: id, Users: all }], keyed);
    const { ID: job } = recordOf<{ ID: string }>({ body } as never);
    await expect
      .poll(
        async () => (await admin<{ ID: string; State: string }>('GET jobs', office)).body.result?.records,
        {
          timeout: 60_000,
        },
      )
      .toContainEqual(expect.objectContaining({ ID: job, State: 'completed' }));
    const found = (await rows(`principal=${id}&order=newest`)).slice(0, 2);
    const changes: unknown[] = [];
    for (const { Position, Changes, MoreChanges } of found) {
      expect(Changes).toHaveLength(100);
      expect(MoreChanges).toBe(true);
      for (let after: number | null = null, more = true; more; ) {
        const from = after === null ? '' : `&after=${after}`;
        const read = await admin(`GET audit/${Position}/changes?pageSize=400${from}`, office);
        const page = read.body.result as unknown as {
          records: unknown[];
          record: { After: number; More: boolean };
        };
        changes.push(...page.records);
        ({ After: after, More: more } = page.record);
      }
    }
    expect(changes).toHaveLength(1900);
    expect(new Set(changes.map((value) => (value as { UserID: number }).UserID)).size).toBe(1900);
    expect(await verify()).toMatchObject({ sound: true });
    expect((await admin('GET audit/999999/changes', office)).status).toBe(404);
  }, 120_000);

  it('finds rows by user, action, actor, client and time', async () => {
    const { id, userIds } = await insert({ Users: [newUser('found.by')] });
    const [user] = userIds;
    await change('update', { ID: id, Users: [{ ID: user, Operation: 'edit', Phone: '1' }] });
    await signedIn(service, 'found.by');
    await change('delete', { ID: id, Users: [{ ID: user }] });
    const ofUser = await rows(`user=${user}`);
    expect(ofUser.map(({ Action }) => Action)).toEqual(['insert', 'update', 'login', 'update']);
    const positions = (found: readonly Row[]) => found.map(({ Position }) => Position);
    const newest = await rows(`user=${user}&order=newest`);
    expect(positions(newest)).toEqual(positions(ofUser).toReversed());
    expect(await rows(`user=${user}&action=login`)).toEqual([ofUser[2]]);
    expect(await rows(`user=${user}&actor=user`)).toEqual([ofUser[2]]);
    const [{ ClientID }] = ofUser.slice(1) as [Row];
    expect(await rows(`user=${user}&client=${ClientID}`)).toEqual([ofUser[0], ofUser[1], ofUser[3]]);
    expect(await rows(`client=${ClientID}&principal=${id}&action=update`)).toEqual([ofUser[1], ofUser[3]]);
    const { At } = ofUser[2] as Row;
    expect(positions(await rows(`principal=${id}&from=${At}`))).toEqual(positions(ofUser.slice(2)));
    expect(positions(await rows(`user=${user}&until=${At}`))).toEqual(positions(ofUser.slice(0, 2)));
    expect(await rows('from=2100-01-01')).toEqual([]);
    expect(await rows('until=2000-01-01')).toEqual([]);
    expect((await admin('GET audit?from=yesterday', office)).status).toBe(400);
    expect((await admin('GET audit?action=unknown', office)).status).toBe(400);
  });

  it('does not verify after an old value was changed in the database', async () => {
    const { id } = await insert({ Denomination: 'Genuine' });
    await change('update', { ID: id, Denomination: 'Changed' });
    const [row] = (await rows(`principal=${id}&action=update`)) as [Row];
    const forge = (from: string, to: string) =>
      service.database.query(
        `update anagrafe.changed_values set changes = replace(changes::text, $2, $3)::json where principal_id = $1`,
        [id, from, to],
      );
    await forge('Genuine', 'Forged');
    expect(await verify()).toMatchObject({ sound: false, position: row.Position, error: 'values changed' });
    await forge('Forged', 'Genuine');
    expect(await verify()).toMatchObject({ sound: true });
    await service.database.query(
      'update anagrafe.changed_values set salt = gen_random_uuid() where principal_id = $1',
      [id],
    );
    expect(await verify()).toMatchObject({ sound: false, error: 'values changed' });
    await service.database.query('delete from anagrafe.changed_values where principal_id = $1', [id]);
    expect(await verify()).toMatchObject({ sound: true });
  });

  it('exports the old and new values', async () => {
    const { id } = await insert({ Denomination: 'Before export' });
    await change('update', { ID: id, Denomination: 'After export' });
    await allHashed(service);
    const lines: Row[] = [];
    await openAuditStore(service.database).inSnapshot(async (moment) => {
      for await (const line of exportedLines(moment)) lines.push(JSON.parse(line));
    });
    const row = lines.find(({ IRID, Action }) => IRID === id && Action === 'update');
    expect(row?.Changes).toEqual([
      { UserID: null, Field: 'Denomination', Old: 'Before export', New: 'After export' },
    ]);
  });
});

describe('an old value', () => {
  it('is deleted with its user or principal, and the hash chain still verifies', async () => {
    const users = ['erased.one', 'erased.two'].map((name) => importedUser(name, { Phone: 'old phone' }));
    const { id, userIds } = await insert({ Denomination: 'Erased', Users: users });
    const edits = userIds.map((ID) => ({ ID, Operation: 'edit', Phone: 'new phone' }));
    await change('update', { ID: id, Denomination: 'Erased 2', Users: edits });
    const changed = async () => {
      const [row] = (await rows(`principal=${id}&action=update`)) as [Row];
      return row.Changes.map(({ UserID, Field }) => [UserID, Field]);
    };
    expect(await changed()).toEqual([
      [null, 'Denomination'],
      [userIds[0], 'Phone'],
      [userIds[1], 'Phone'],
    ]);
    await change('delete', { ID: id, Users: [{ ID: userIds[0] }] });
    expect(await changed()).toEqual([
      [null, 'Denomination'],
      [userIds[1], 'Phone'],
    ]);
    expect(await verify()).toMatchObject({ sound: true });
    await change('delete', { ID: id });
    expect(await changed()).toEqual([]);
    expect(await verify()).toMatchObject({ sound: true });
  });

  it('is deleted after ANAGRAFE_HISTORY_DAYS, and the hash chain still verifies', async () => {
    const { id } = await insert({ Denomination: 'Old' });
    await change('update', { ID: id, Denomination: 'New' });
    await service.database.query(
      `update anagrafe.changed_values set changed_at = now() - interval '31 days' where principal_id = $1`,
      [id],
    );
    const retention = openRetention(readConfig({ ANAGRAFE_HISTORY_DAYS: '30' }));
    const options = {
      signal: new AbortController().signal,
      onError: (error: unknown) => expect(error).toBeNull(),
    };
    expect(await retention.removeExpired(service.database, options)).toEqual({ changed_values: 1 });
    const [row] = (await rows(`principal=${id}&action=update`)) as [Row];
    expect(row.Changes).toEqual([]);
    expect(await verify()).toMatchObject({ sound: true });
  });
});
