import { adminOf, credential } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { startTestService } from '@anagrafe/testing/service';
import { expect, it } from 'vitest';
import type { CloudEvent } from '../../src/audit/events.ts';

const users = 2500;

it('the deletion of a principal with 2,500 users has an audit row for each 1,000 of them', async () => {
  const service = await startTestService();
  const [principal] = await service.database.query<{ id: number }>(
    `with principal as (
       insert into anagrafe.principals (external_key, search_terms, users_count) values ('L-1', '', $1) returning id
     ), registered as (
       insert into anagrafe.users (principal_id, username, username_key, password_hash)
       select id, 'user.' || n, 'user.' || n, 'no hash' from principal cross join generate_series(1, $1::int) as n
     )
     select id from principal`,
    [users],
  );
  const ID = principal?.id ?? 0;
  const deleted = await service.call('irs/delete', [{ ExternalKey: 'L-1' }]);
  expect([deleted.status, deleted.body.result?.records[0]?.Item1]).toEqual([200, ID]);
  await allHashed(service);
  const rows = await service.database.query<{ action: string; count: number; key: string }>(
    `select action, cardinality(deleted) as count, details ->> 'externalKey' as key from anagrafe.audit_log
      where principal_id = $1 order by position`,
    [ID],
  );
  expect(rows).toEqual([
    { action: 'delete', count: 1000, key: 'L-1' },
    { action: 'update', count: 1000, key: 'L-1' },
    { action: 'update', count: 500, key: 'L-1' },
  ]);

  const types = new Map<string, number>();
  const userIds = new Set<unknown>();
  for (let after = '', more = true; more; ) {
    const { body } = await service.call<CloudEvent>(`events?pageSize=1000${after}`, undefined, {
      method: 'GET',
    });
    const feed = body.result?.record as { After: string; More: boolean } | undefined;
    for (const { type, data } of body.result?.records ?? []) {
      if (data.IRID !== ID) continue;
      types.set(type, (types.get(type) ?? 0) + 1);
      expect(data.ExternalKey).toBe('L-1');
      if (data.UserID !== undefined) userIds.add(data.UserID);
    }
    after = `&after=${feed?.After}`;
    more = feed?.More ?? false;
  }
  expect(Object.fromEntries(types)).toEqual({ 'principal.deleted': 1, 'user.deleted': users });
  expect(userIds.size).toBe(users);

  const [call] = await service.database.query<{ id: string }>(
    `select call_id as id from anagrafe.audit_log where action = 'call.completed'`,
  );
  const history = await adminOf(service)(`GET calls/${call?.id}`, await credential(service));
  expect(history.body.result?.records).toHaveLength(1);
});
