import { type Child, childStore, failuresIn, startChild } from '@anagrafe/testing/child';
import { holding } from '@anagrafe/testing/jobs';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { examineStore } from '../../src/cli/doctor/database.ts';
import type { Database } from '../../src/db/database.ts';
import { readConfig } from '../../src/settings/config.ts';

const insertExpired = (database: Database, rows: number) =>
  database.query(
    `with call as (
       insert into anagrafe.calls (id, operation, state, idempotency_key, key_expires_at, ended_at)
       select gen_random_uuid(), 'update', 'completed', 'key ' || n, now() - interval '1 day', now()
         from generate_series(1, $1) as n)
     insert into anagrafe.throttles (key, failures, waits_until, updated_at)
     select uuid_send(gen_random_uuid()), 1, now(), now() - interval '2 days' from generate_series(1, $1)`,
    [rows],
  );

/** Enqueues a run of retention, which the next service that starts takes at once. */
const enqueueRun = (database: Database) =>
  database.query(`insert into anagrafe_queue.job (name, policy) values ('retention', 'exclusive')`);

async function left(database: Database): Promise<{ keys: number; throttles: number } | undefined> {
  const [rows] = await database.query<{ keys: number; throttles: number }>(
    `select (select count(*) from anagrafe.calls where idempotency_key is not null) as keys,
            (select count(*) from anagrafe.throttles) as throttles`,
  );
  return rows;
}

const metricsOf = async ({ url }: Child) => (await fetch(`${url}/metrics`)).text();

it('retention removes the other rows if one kind of rows cannot be removed, and metrics, the log and doctor show it', async () => {
  const { settings, database } = await childStore();
  await insertExpired(database, 3);
  await database.query(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before update on anagrafe.calls execute function public.refuse()`);
  await enqueueRun(database);
  const service = await startChild(settings);
  await until(async () => (await left(database))?.throttles === 0);
  expect(await left(database)).toEqual({ keys: 3, throttles: 0 });
  await until(async () => (await metricsOf(service)).includes('overdue_rows{kind="idempotency_keys"} 3'));
  expect(await metricsOf(service)).toContain('anagrafe_background_failures_total{task="retention"} 1');
  expect(failuresIn(service)).toEqual([expect.stringContaining('"kind":"idempotency_keys"')]);
  const findings = [];
  for await (const found of examineStore(readConfig(settings), { withKey: false })) findings.push(found);
  expect(findings).toContainEqual(
    expect.objectContaining({ code: 'retention_overdue', fields: { rows: { idempotency_keys: 3 } } }),
  );
});

it('SIGTERM during a run of retention ends the service after the present statement', async () => {
  const { settings, database } = await childStore();
  await insertExpired(database, 6000);
  await enqueueRun(database);
  const lock = ['lock table anagrafe.calls in share mode'] as const;
  const service = await holding({ database }, lock, async ({ blocked }) => {
    const child = await startChild(settings);
    await blocked(1);
    child.process.kill('SIGTERM');
    // The port is closed after the signal was received.
    const isOpen = () =>
      fetch(`${child.url}/health/live`).then(
        () => true,
        () => false,
      );
    await until(async () => !(await isOpen()));
    return child;
  });
  await until(() => service.process.exitCode !== null);
  expect(service.process.exitCode).toBe(0);
  expect(await left(database)).toEqual({ keys: 4000, throttles: 6000 });
});
