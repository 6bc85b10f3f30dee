import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  office = await credential(service);
});

async function read(path: string) {
  const { status, body } = await admin<{ At?: string; CreatedAt?: string }>(`GET ${path}`, office);
  expect(status).toBe(200);
  return body.result;
}

/** Asserts that a list of more than 10,000 rows, also with `failed=true`, ends after the newest 10,000. */
async function expectNewest(path: string): Promise<void> {
  for (const failed of ['', '&failed=true']) {
    expect(await read(`${path}?page=11&pageSize=1000${failed}`)).toMatchObject({
      totalCount: 10_000,
      totalPages: 10,
      records: [],
    });
    expect((await read(`${path}?page=10&pageSize=1000${failed}`))?.count).toBe(1000);
    // The last page ends at row 10,000 for a page size that does not divide it.
    expect((await read(`${path}?page=15&pageSize=700${failed}`))?.count).toBe(200);
    const newest = (await read(`${path}?pageSize=1000${failed}`))?.records ?? [];
    const times = newest.map(({ At, CreatedAt }) => At ?? CreatedAt ?? '');
    expect(times).toEqual(times.toSorted().reverse());
  }
}

/** Returns the query plan as JSON. It depends on the statistics that `analyze` collects. */
async function planOf(statement: string): Promise<string> {
  const [plan] = await service.database.query(`explain (format json) ${statement}`);
  return JSON.stringify(plan);
}

describe('a list of the newest 10,000 rows', () => {
  it('contains calls, or only those with failed records', async () => {
    await service.database.query(
      `insert into anagrafe.audit_log (at, actor, action, call_id, details)
       select now() - make_interval(secs => 30000 - n), 'client', 'call.completed', gen_random_uuid(),
              jsonb_build_object('operation', 'update', 'records', 1, 'recordsFailed', n % 2, 'users', 0,
                                 'usersApplied', 0, 'milliseconds', 1)
         from generate_series(1, 22000) as n`,
    );
    await expectNewest('calls');
  });

  it('contains deliveries, or only failed ones, which an index returns without sorting', async () => {
    const webhook = { URL: 'https://receiver.example.com/', Types: ['principal.inserted'] };
    const { ID } = recordOf<{ ID: number }>(await admin('POST webhooks', office, webhook));
    await service.database.query(
      `insert into anagrafe.deliveries (id, webhook_id, position, type, state, created_at)
       select gen_random_uuid(), $1, n, 'principal.inserted', (array['failed', 'delivered'])[1 + n % 2],
              now() - make_interval(secs => n)
         from generate_series(1, 22000) as n`,
      [ID],
    );
    await expectNewest(`webhooks/${ID}/deliveries`);
    await service.database.query('analyze anagrafe.deliveries');
    for (const [state, index] of [
      ['', 'deliveries_of_webhook'],
      [`and state = 'failed'`, 'deliveries_failed'],
    ] as const) {
      const plan = await planOf(
        `select * from anagrafe.deliveries where webhook_id = ${ID} ${state} order by created_at desc, id limit 100`,
      );
      expect(plan).toContain(index);
      expect(plan).not.toContain('Sort"');
    }
  });
});

describe('active sessions', () => {
  it('are counted with a partial index', async () => {
    const plan = await planOf(
      'select count(*) from anagrafe.sessions where refresh_expires_at > now() and spent_at is null',
    );
    expect(plan).toContain('sessions_live');
  });
});
