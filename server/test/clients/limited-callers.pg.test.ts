import type { CloudEvent, Principal } from '@anagrafe/client';
import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { browserOf } from '@anagrafe/testing/console';
import { finished, holding, importedUser, principalLock, readJob, submit } from '@anagrafe/testing/jobs';
import { asOperator, operator } from '@anagrafe/testing/operators';
import { codesOf, fieldCodesOf, unique } from '@anagrafe/testing/records';
import { removeAllExpired } from '@anagrafe/testing/retention';
import { getText, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let admin: Credential;
/** Limited to the tags `nord` and `vip`. */
let nord: Credential;
let sud: Credential;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_REQUIRE_SECOND_FACTOR: 'false' });
  admin = await credential(service);
  nord = await credential(service, { name: 'nord', tags: ['nord', 'vip'] });
  sud = await credential(service, { name: 'sud', tags: ['sud'] });
});

function send(client: Credential, path: string, records: unknown, headers: Credential = {}) {
  return service.call(path, records, { headers: { prefer: 'return=representation', ...client, ...headers } });
}

/** Inserts a principal with one user, and returns what was sent and its ID. */
async function inserted(client: Credential, fields: object = {}) {
  const record = {
    ExternalKey: unique('L'),
    Denomination: unique('Company'),
    Users: [importedUser(unique('limited.user'))],
    ...fields,
  };
  const { body, text } = await send(client, 'irs/insert', [record]);
  const [tuple] = body.result?.records ?? [];
  if (!tuple?.Item3) throw new Error(text);
  return {
    ...record,
    id: tuple.Item1 ?? 0,
    userId: tuple.Item6.Users?.[0]?.ID ?? 0,
    username: record.Users[0]?.Username ?? '',
  };
}

async function listed(client: Credential, filter: object): Promise<readonly Principal[]> {
  const { body } = await service.call<Principal>('irs/list', filter, { headers: client });
  return body.result?.records ?? [];
}

const tagsOf = async (client: Credential, ID: number) => (await listed(client, { ID }))[0]?.Tags;
const update = (client: Credential, ID: number, fields: object) =>
  send(client, 'irs/update', [{ ID, ...fields }]);

async function events(client: Credential, query = ''): Promise<CloudEvent[]> {
  const found: CloudEvent[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const from: string = after === null ? '' : `&after=${after}`;
    const { text } = await getText(service, `/api/sync/v1/events?pageSize=1000${query}${from}`, client);
    const { result } = JSON.parse(text);
    found.push(...result.records);
    ({ After: after, More: more } = result.record);
  }
  return found;
}

const chained = () =>
  until(
    async () => (await service.database.query('select from anagrafe.audit_log_waiting')).length === 0,
    () => 'the hash chain',
  );

describe('the tags of a limited caller', () => {
  it('are given to the principals that it inserts, or those of them that it sends', async () => {
    expect(await tagsOf(admin, (await inserted(nord)).id)).toEqual(['nord', 'vip']);
    expect(await tagsOf(admin, (await inserted(nord, { Tags: [] })).id)).toEqual(['nord', 'vip']);
    expect(await tagsOf(admin, (await inserted(nord, { Tags: ['VIP'] })).id)).toEqual(['vip']);
    const upserted = await send(nord, 'irs/upsert', [{ ExternalKey: unique('L'), Name: 'New' }]);
    expect(await tagsOf(admin, upserted.body.result?.records[0]?.Item1 ?? 0)).toEqual(['nord', 'vip']);
  });

  it('are the only ones that it can give, and it cannot remove them', async () => {
    const { id, ExternalKey } = await inserted(nord, { Tags: ['nord'] });
    const refused = { Tags: ['TAG_NOT_PERMITTED'] };
    const insertion = await send(nord, 'irs/insert', [{ Name: 'New', Tags: ['nord', 'sud'] }]);
    expect(fieldCodesOf(insertion)).toEqual(refused);
    for (const Tags of [['nord', 'sud'], ['vip'], []]) {
      expect(fieldCodesOf(await update(nord, id, { Tags }))).toEqual(refused);
      expect(fieldCodesOf(await send(nord, 'irs/upsert', [{ ExternalKey, Tags }]))).toEqual(refused);
    }
    expect(codesOf(await update(nord, id, { Tags: ['nord', 'vip'] }))).toEqual([null]);
    expect(await tagsOf(admin, id)).toEqual(['nord', 'vip']);
  });

  it('are all that it sees of the tags of a principal, whose other tags stay', async () => {
    const { id } = await inserted(admin, { Tags: ['nord', 'secret'] });
    expect(await tagsOf(nord, id)).toEqual(['nord']);
    const { text } = await getText(service, `/api/sync/v1/irs/export?id=${id}`, nord);
    expect(JSON.parse(text).Tags).toEqual(['nord']);
    await update(nord, id, { Name: 'Changed', Tags: ['nord', 'vip'] });
    expect(await tagsOf(admin, id)).toEqual(['nord', 'secret', 'vip']);
    expect(await listed(nord, { Tags: ['secret'] })).toEqual([]);
    const usersWith = async (client: Credential, tag: string) =>
      (await send(client, 'irs/users', { Tags: [tag], ID: id })).body.result?.records.length;
    expect([await usersWith(nord, 'secret'), await usersWith(admin, 'secret')]).toEqual([0, 1]);
    expect(await usersWith(nord, 'nord')).toBe(1);
    const tried = await send(nord, 'irs/upsert?dryRun=true', [
      { ID: id, Name: 'Other', Tags: ['nord', 'vip'] },
    ]);
    expect(tried.text).not.toContain('secret');
  });

  it('cannot become more than 20 of a principal with those that it does not see', async () => {
    const others = Array.from({ length: 19 }, (_, n) => `other${n}`);
    const { id } = await inserted(admin, { Tags: ['nord', ...others] });
    expect(fieldCodesOf(await update(nord, id, { Tags: ['nord', 'vip'] }))).toEqual({
      Tags: ['TAG_NOT_PERMITTED'],
    });
  });

  it('are fixed when the client is created', async () => {
    const call = adminOf(service);
    const made = await call('POST clients', admin, { Name: 'reseller', Tags: ['B', 'a', 'b'] });
    const client = recordOf<{ PublicKey: string; Tags: string[] }>(made);
    expect(client.Tags).toEqual(['a', 'b']);
    const change = await call(`PATCH clients/${client.PublicKey}`, admin, { Tags: ['c'] });
    expect([change.status, change.text]).toEqual([400, expect.stringContaining('Tags')]);
    for (const Tags of [[], ['not a tag'], Array.from({ length: 21 }, (_, n) => `t${n}`)])
      expect((await call('POST clients', admin, { Name: 'reseller', Tags })).status).toBe(400);
  });
});

describe('names of principals that a limited caller does not see', () => {
  it('are taken, and the answer names nobody', async () => {
    const { username, ExternalKey } = await inserted(sud);
    const record = (users: object[]) => [{ ExternalKey: unique('L'), Name: 'One', Users: users }];
    const own = await inserted(nord);
    const answers = [
      await send(nord, 'irs/insert', record([importedUser(username)])),
      await send(nord, 'irs/upsert', record([importedUser(username)])),
      await send(nord, 'irs/upsert?moves=allow', record([importedUser(username)])),
      await update(nord, own.id, { Users: [importedUser(username)] }),
      await update(nord, own.id, { Users: [{ Operation: 'edit', ID: own.userId, NewUsername: username }] }),
    ];
    for (const answer of answers) {
      const errors = Object.values(answer.body.result?.records[0]?.Item5 ?? {}).flat();
      expect(errors).toEqual([{ code: 'USERNAME_TAKEN', message: 'This username is taken.' }]);
    }
    const keys = [
      await send(nord, 'irs/insert', [{ ExternalKey, Name: 'One' }]),
      await send(nord, 'irs/upsert', [{ ExternalKey, Name: 'One' }]),
      await update(nord, own.id, { NewExternalKey: ExternalKey }),
    ];
    for (const answer of keys) {
      const errors = Object.values(answer.body.result?.records[0]?.Item5 ?? {}).flat();
      expect(errors).toEqual([{ code: 'EXTERNAL_KEY_TAKEN', message: 'This ExternalKey is taken.' }]);
    }
  });

  it('are no look-alikes, also if many of them are before one that it sees', async () => {
    const Denomination = unique('Look-alike');
    for (let n = 0; n < 5; n++) await inserted(sud, { Denomination });
    const record = [{ ExternalKey: unique('L'), Denomination }];
    expect(codesOf(await send(nord, 'irs/insert?similar=refuse&dryRun=true', record))).toEqual([null]);
    const own = await inserted(nord, { Denomination });
    const [tuple] = (await send(nord, 'irs/insert?similar=refuse', record)).body.result?.records ?? [];
    expect([tuple?.Item2, tuple?.Item4]).toEqual([
      'LOOKS_LIKE_ANOTHER',
      expect.stringContaining(`ID ${own.id} `),
    ]);
  });

  it('cannot be moved, merged or named by a user of them', async () => {
    const foreign = await inserted(sud);
    const own = await inserted(nord);
    for (const user of [{ ID: foreign.userId }, { Username: foreign.username }]) {
      const moved = await update(nord, own.id, { Users: [{ Operation: 'move', ...user }] });
      expect(Object.values(fieldCodesOf(moved))).toEqual([['USER_NOT_FOUND']]);
    }
    const merged = await send(nord, 'irs/merge', [{ ID: own.id, From: { ID: foreign.id } }]);
    expect(codesOf(merged)).toEqual(['PRINCIPAL_NOT_FOUND']);
    expect(await listed(sud, { ID: foreign.id })).toHaveLength(1);
  });
});

describe('a principal that is taken away from a limited caller', () => {
  it('is not written by a call that was checked before', async () => {
    const { id } = await inserted(nord);
    const write = await holding(service, principalLock(id), async ({ connection, blocked }) => {
      const waiting = update(nord, id, { Users: [importedUser(unique('limited.late'))] });
      await blocked(1);
      await connection.query(`update anagrafe.principals set tags = '{sud}' where id = $1`, [id]);
      return { waiting };
    });
    expect(codesOf(await write.waiting)).toEqual(['PRINCIPAL_NOT_FOUND']);
  });
});

describe('a job of a limited caller', () => {
  it('shows no names and issues no codes for users that the caller does not see any more', async () => {
    const own = await inserted(nord);
    const records = [
      {
        ID: own.id,
        Users: [importedUser(unique('limited.job')), { Username: unique('coded'), Invite: 'code' }],
      },
    ];
    const job = await submit(service, 'irs/update', records, nord);
    await finished(service, job, nord);
    const names = async () =>
      (await readJob(service, job, { ...nord, prefer: 'return=representation' })).text;
    expect(await names()).toContain(records[0]?.Users[0]?.Username);
    await update(admin, own.id, { Tags: ['sud'] });
    expect(await names()).not.toContain(records[0]?.Users[0]?.Username);
    const codes = await fetch(`${service.url}/api/sync/v1/jobs/${job}/invitations`, {
      method: 'POST',
      headers: nord,
    });
    expect(JSON.parse(await codes.text())).toMatchObject({ Username: null, Code: null, Skipped: 'deleted' });
    expect((await readJob(service, job, sud)).status).toBe(404);
  });
});

describe('events of a limited caller', () => {
  it('are those of its principals, deleted ones included, and of its own calls', async () => {
    const own = await inserted(nord);
    const foreign = await inserted(sud);
    await send(nord, 'irs/delete', [{ ID: own.id }]);
    await send(sud, 'irs/delete', [{ ID: foreign.id }]);
    await chained();
    let seen = await events(nord);
    const about = (id: number) =>
      seen.filter(({ data }) => 'IRID' in data && data.IRID === id).map(({ type }) => type);
    expect(about(own.id)).toEqual([
      'principal.inserted',
      'user.registered',
      'principal.deleted',
      'user.deleted',
    ]);
    expect(about(foreign.id)).toEqual([]);
    await service.database.query(
      `update anagrafe.deleted_principals set deleted_at = now() - interval '91 days'`,
    );
    expect(await removeAllExpired(service.database)).toMatchObject({ deleted_principals: 2 });
    const remaining = (await events(nord)).filter(({ data }) => 'IRID' in data && data.IRID === own.id);
    expect(remaining).toEqual([]);
    expect(seen.filter(({ type }) => type === 'call.completed').length).toBeGreaterThan(0);
    seen = await events(nord);
    expect((await events(nord, '&order=newest')).map(({ id }) => id)).toEqual(
      seen.map(({ id }) => id).toReversed(),
    );
  });

  it('do not name the principal that a user came from, nor an operator that sees more', async () => {
    const own = await inserted(nord);
    const foreign = await inserted(sud);
    await operator(service, 'editor@example.com', 'editor');
    const page = await asOperator(service, 'editor@example.com');
    await update(page, own.id, { Users: [{ Operation: 'move', ID: foreign.userId }] });
    await chained();
    const [moved] = (await events(nord)).filter(({ type }) => type === 'user.moved');
    expect(moved?.data).toEqual({
      IRID: own.id,
      ExternalKey: own.ExternalKey,
      UserID: foreign.userId,
      Username: foreign.username,
      Email: null,
      FromIRID: null,
      FromExternalKey: null,
    });
  });
});

describe('a limited operator', () => {
  it('has its role in its part', async () => {
    const own = await inserted(nord);
    const foreign = await inserted(sud);
    await operator(service, 'desk@example.com', 'desk', ['nord']);
    const page = await asOperator(service, 'desk@example.com');
    expect((await listed(page, {})).every(({ Tags }) => Tags?.includes('nord'))).toBe(true);
    expect(await listed(page, { ID: foreign.id })).toEqual([]);
    const state = await send(
      page,
      'irs/state',
      [own, foreign].map(({ id: ID }) => ({ ID, State: 'disabled' })),
    );
    expect(codesOf(state)).toEqual([null, 'PRINCIPAL_NOT_FOUND']);
    expect((await browserOf(service)('GET /admin/v1/audit', page)).status).toBe(403);
  });

  it('does not count as an administrator that is left', async () => {
    const id = await operator(service, 'root@example.com', 'admin');
    await operator(service, 'part@example.com', 'admin', ['nord']);
    const call = adminOf(service);
    const change = await call(`PATCH operators/${id}`, admin, { Role: 'viewer' });
    expect(change.body.errorCode).toBe('LAST_ADMINISTRATOR');
  });
});

describe('the metrics', () => {
  it('refuse a limited client', async () => {
    const { status } = await getText(service, '/metrics', nord);
    expect(status).toBe(403);
  });
});
