import { allHashed } from '@anagrafe/testing/audit-chain';
import { removeAllExpired } from '@anagrafe/testing/retention';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyStoredAuditLog } from '../src/cli/commands/audit.ts';
import { openRetention } from '../src/retention.ts';
import { readConfig } from '../src/settings/config.ts';

const retention = openRetention(readConfig({}));

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  // Without this, the scheduled run of the service could come before that of the test.
  await service.database.query(`delete from anagrafe_queue.schedule where name = 'retention'`);
  await service.database.query(
    `insert into anagrafe.audit_log (at, actor, action)
     select now() - interval '10 days', 'service', 'login' from generate_series(1, 10)`,
  );
});

const count = async (rows: string) => (await service.database.query(`select from anagrafe.${rows}`)).length;

const insertExpiredKeys = (rows: number) =>
  service.database.query(
    `insert into anagrafe.calls (id, operation, state, idempotency_key, key_expires_at, ended_at)
     select gen_random_uuid(), 'update', 'completed', gen_random_uuid()::text, now() - interval '1 day', now()
       from generate_series(1, $1)`,
    [rows],
  );
const insertThrottles = (rows: number) =>
  service.database.query(
    `insert into anagrafe.throttles (key, failures, waits_until, updated_at)
     select uuid_send(gen_random_uuid()), 1, now(), now() - interval '2 days' from generate_series(1, $1)`,
    [rows],
  );

describe('retention', () => {
  it('changes at most 2,000 rows with a statement, however many have expired', async () => {
    const { database } = service;
    await database.query(`
      create table public.statements (rows bigint);
      create function public.note_rows() returns trigger language plpgsql as $$
        begin
          insert into public.statements select count(*) from old_rows;
          return null;
        end $$;
      create trigger note_rows after update on anagrafe.calls
        referencing old table as old_rows for each statement execute function public.note_rows();
      create trigger note_rows after delete on anagrafe.throttles
        referencing old table as old_rows for each statement execute function public.note_rows()`);
    try {
      await insertExpiredKeys(4100);
      await insertThrottles(4100);
      expect(await removeAllExpired(database)).toEqual({ idempotency_keys: 4100, throttles: 4100 });
      const statements = await database.query<{ rows: number }>(
        'select rows from public.statements order by rows desc',
      );
      expect(statements.map(({ rows }) => rows)).toEqual([2000, 2000, 2000, 2000, 100, 100]);
    } finally {
      await database.query(`
        drop trigger note_rows on anagrafe.calls; drop trigger note_rows on anagrafe.throttles;
        drop function public.note_rows; drop table public.statements`);
    }
    expect(await count('calls where idempotency_key is not null')).toBe(0);
  });

  it('deletes more calls than one statement does, each with its outcomes', async () => {
    await service.database.query(
      `with call as (
         insert into anagrafe.calls (id, operation, state, ended_at)
         select gen_random_uuid(), 'update', 'completed', now() - interval '31 days' from generate_series(1, 1200)
         returning id)
       insert into anagrafe.outcomes (call_id, position, users, applied)
       select id, position, 0, '[]' from call, generate_series(0, 4) as position`,
    );
    expect(await removeAllExpired(service.database)).toEqual({ calls: 1200 });
    expect(await count('outcomes')).toBe(0);
  });

  it('deletes the beginning of the audit log, and the rest still passes verification', async () => {
    const { database } = service;
    await insertPrincipals(service, 1);
    await allHashed(service);
    const rows = await count('audit_log');
    const shorter = openRetention({ ...readConfig({}), AUDIT_DAYS: 5 });
    expect(await shorter.countOverdue(database)).toMatchObject({ audit_log: 10 });
    expect(await removeAllExpired(database, { AUDIT_DAYS: 5 })).toEqual({ audit_log: 10 });
    expect(await verifyStoredAuditLog(service.config, null)).toMatchObject({ sound: true, rows: rows - 10 });
  });

  it('stops after the present statement when its signal is aborted', async () => {
    await insertExpiredKeys(10);
    await insertThrottles(10);
    const aborted = { signal: AbortSignal.abort(), onError: () => undefined };
    expect(await retention.removeExpired(service.database, aborted)).toEqual({ idempotency_keys: 10 });
    expect(await count('throttles')).toBe(10);
    expect(await removeAllExpired(service.database)).toEqual({ throttles: 10 });
  });
});

describe('overdue rows', () => {
  it('are counted by kind, up to 10,000, if they should have been removed hours ago', async () => {
    await insertThrottles(12_000);
    await service.database.query(
      `insert into anagrafe.calls (id, operation, state, ended_at)
       values (gen_random_uuid(), 'update', 'completed', now() - interval '30 days 1 hour'),
              (gen_random_uuid(), 'update', 'completed', now() - interval '30 days 4 hours')`,
    );
    const overdue = await retention.countOverdue(service.database);
    expect(overdue).toMatchObject({ throttles: 10_000, calls: 1, sessions: 0, audit_log: 0 });
    await removeAllExpired(service.database);
    expect(Object.values(await retention.countOverdue(service.database))).toEqual(
      Object.values(overdue).map(() => 0),
    );
  });
});
