import {
  finished,
  holding,
  importedUser,
  jobOf,
  principalLock,
  readJob,
  submit,
} from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_LOG_LEVEL: 'trace' });
});

/** Returns a table name for every row that contains the text or its hex form, including the tables of the queue. */
async function rowsWith(text: string): Promise<string[]> {
  const tables = await service.database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('anagrafe', 'anagrafe_queue')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const like = [text, Buffer.from(text).toString('hex')].map((form) => `%${form}%`);
    const rows = await service.database.query(
      `select from ${name} as stored where stored::text like any($1)`,
      [like],
    );
    found.push(...rows.map(() => name));
  }
  return found;
}

describe('the passwords of a job', () => {
  const canary = 'canary-8d1-sentence';

  it('are stored only encrypted, and are deleted with their key when the job ends', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const user = { Username: 'visible-8d1', Password: canary, ConfirmPassword: canary };
    const id = await holding(service, principalLock(ID), async ({ blocked }) => {
      const job = await submit(service, 'irs/update', [{ ID, Users: [user] }]);
      await blocked(1);
      expect(await rowsWith(canary)).toEqual([]);
      expect(await rowsWith('visible-8d1')).toEqual([]);
      const [waiting] = await service.database.query(
        `select octet_length(encrypted_records) > 50 as encrypted, octet_length(wrapped_key) as key
           from anagrafe.chunks join anagrafe.calls on calls.id = call_id where call_id = $1`,
        [job],
      );
      expect(waiting).toEqual({ encrypted: true, key: 12 + 32 + 16 });
      return job;
    });
    await finished(service, id);
    expect(await rowsWith(canary)).toEqual([]);
    expect(await rowsWith('visible-8d1')).toEqual(['anagrafe.users']);
    const left = await service.database.query(
      `select from anagrafe.calls where id = $1 and wrapped_key is not null
       union all select from anagrafe.chunks where call_id = $1`,
      [id],
    );
    expect(left).toEqual([]);
    expect(service.log.join('')).not.toContain(canary);
  });
});

describe('the records of a job', () => {
  it('are counted once in the metrics, including those refused at submission', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const counts = async () => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      const of = (pattern: string) => Number(new RegExp(`^${pattern} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
      return [
        of('anagrafe_records_total\\{operation="update",outcome="applied"\\}'),
        of('anagrafe_records_total\\{operation="update",outcome="PRINCIPAL_NOT_FOUND"\\}'),
        of('anagrafe_users_total\\{operation="register"\\}'),
      ];
    };
    const [applied = 0, missing = 0, registered = 0] = await counts();
    const headers = { 'idempotency-key': 'counted-once' };
    const records = [
      { ID, Users: [importedUser('counted.1'), importedUser('counted.2')] },
      { ID, Users: [newUser('counted.3')] },
      { ID: 987_654, Users: [importedUser('counted.4')] },
    ];
    const id = await submit(service, 'irs/update', records, headers);
    await finished(service, id);
    await submit(service, 'irs/update', records, headers);
    expect(await counts()).toEqual([applied + 2, missing + 1, registered + 3]);
  });
});

describe('a small job', () => {
  it('ends before an earlier large job of another client', async () => {
    // This test creates clients, which ends the protected mode that the other tests of the file rely on.
    const shared = await startTestService();
    const [one = 0, two = 0, own = 0, ...principals] = await insertPrincipals(shared, 7);
    const client = async (name: string) => {
      const options = { name, scopes: ['sync:write'], networks: [], knownByAddress: false } as const;
      const made = await createClient(options, openClientStore(shared.database), operatorActor);
      return { SyncPublicKey: made.client.publicKey, SyncSecretKey: made.secret };
    };
    const [busy, large, small] = [await client('busy'), await client('large'), await client('small')];
    const crowd = (ID: number) =>
      Array.from({ length: 1000 }, (_, n) => importedUser(`crowd of ${ID} number ${n}`));
    const ids = await holding(shared, principalLock(one, two), async ({ blocked }) => {
      for (const ID of [one, two])
        await submit(shared, 'irs/update', [{ ID, Users: [importedUser(`busy ${ID}`)] }], busy);
      await blocked(2);
      const records = principals.map((ID) => ({ ID, Users: crowd(ID) }));
      const first = await submit(shared, 'irs/update', records, large);
      const second = await submit(shared, 'irs/update', [{ ID: own, Users: [importedUser('small')] }], small);
      return { first, second };
    });
    const [first, second] = [
      jobOf(await finished(shared, ids.first, large)),
      jobOf(await finished(shared, ids.second, small)),
    ];
    expect([first.RecordsFailed, second.RecordsFailed]).toEqual([0, 0]);
    expect(Date.parse(second.EndedAt ?? '')).toBeLessThan(Date.parse(first.EndedAt ?? ''));
    expect((await readJob(shared, ids.first, small)).status).toBe(404);
  });
});
