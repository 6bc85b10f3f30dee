import { allHashed } from '@anagrafe/testing/audit-chain';
import { finished, importedHash, importedUser, jobOf, submit } from '@anagrafe/testing/jobs';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CloudEvent } from '../../src/audit/events.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Stores a principal with users, whose IDs it returns. */
async function principalWith(users: number): Promise<{ ID: number; ids: number[] }> {
  const [principal] = await service.database.query<{ id: number }>(
    `insert into anagrafe.principals (search_terms, users_count) values ('', $1) returning id`,
    [users],
  );
  const ID = principal?.id ?? 0;
  const rows = await service.database.query<{ id: number }>(
    `insert into anagrafe.users (principal_id, username, username_key, password_hash)
     select $1, $1::bigint || '.' || n, $1::bigint || '.' || n, 'no hash' from generate_series(1, $2) as n
     returning id`,
    [ID, users],
  );
  return { ID, ids: rows.map(({ id }) => id) };
}

/** Runs a record as a job, which must apply it. Returns the audit rows of its principal and their events. */
async function applied(path: string, record: object) {
  const [start] = await service.database.query<{ id: number }>(
    'select coalesce(max(id), 0) as id from anagrafe.audit_log',
  );
  const answer = await finished(service, await submit(service, path, [record]));
  expect(jobOf(answer).RecordsFailed, answer.text.slice(0, 1000)).toBe(0);
  await allHashed(service);
  const rows = await service.database.query<{ action: string; users: number; position: number }>(
    `select action, position,
            coalesce(cardinality(registered), 0) + coalesce(cardinality(reset), 0) + coalesce(cardinality(deleted), 0)
              + coalesce(jsonb_array_length(details -> 'users'), 0) as users
       from anagrafe.audit_log where principal_id is not null and id > $1 order by position`,
    [start?.id],
  );
  const events = await eventsAfter((rows[0]?.position ?? 0) - 1);
  return { rows: rows.map(({ action, users }) => [action, users]), events };
}

/** Returns the IDs of the users of the events about records after a position, in order, by the type of the event. */
async function eventsAfter(position: number): Promise<Record<string, unknown[]>> {
  const users: Record<string, unknown[]> = {};
  for (let after = `${position}.999999`, more = true; more; ) {
    const { body } = await service.call<CloudEvent>(`events?pageSize=700&after=${after}`, undefined, {
      method: 'GET',
    });
    for (const { type, data } of body.result?.records ?? [])
      if (!type.endsWith('.completed')) users[type] = [...(users[type] ?? []), data.UserID];
    const feed = body.result?.record as { After: string; More: boolean };
    ({ After: after, More: more } = feed);
  }
  return users;
}

describe('a record with more than 1,000 users', () => {
  it('has several audit rows of up to 1,000 users if it sets states, and one event for each change', async () => {
    const { ID, ids } = await principalWith(2100);
    const State = 'disabled';
    const { rows, events } = await applied('irs/state', {
      ID,
      State,
      Users: ids.map((id) => ({ ID: id, State })),
    });
    expect(rows).toEqual([
      ['state', 1000],
      ['update', 1000],
      ['update', 100],
    ]);
    expect(events).toEqual({ 'principal.state_changed': [undefined], 'user.state_changed': ids });
  });

  it('has several audit rows if it inserts a principal', async () => {
    const Users = Array.from({ length: 2000 }, (_, n) => importedUser(`inserted ${n}`));
    const { rows, events } = await applied('irs/insert', { Denomination: 'Large', Users });
    expect(rows).toEqual([
      ['insert', 1000],
      ['update', 1000],
    ]);
    expect(events['principal.inserted']).toHaveLength(1);
    expect(new Set(events['user.registered']).size).toBe(2000);
    expect(Object.keys(events)).toHaveLength(2);
  });

  it('has several audit rows if it registers, resets, edits and deletes users', async () => {
    const { ID, ids } = await principalWith(1900);
    const [reset, edited, deleted] = [ids.slice(0, 700), ids.slice(700, 1300), ids.slice(1300)];
    const { rows, events } = await applied('irs/update', {
      ID,
      Denomination: 'Changed',
      Users: [
        ...Array.from({ length: 800 }, (_, n) => importedUser(`registered ${n}`)),
        ...reset.map((id) => ({ ID: id, Operation: 'reset', PasswordHash: importedHash })),
        ...edited.map((id) => ({ ID: id, Operation: 'edit', FirstName: 'Anna' })),
        ...deleted.map((id) => ({ ID: id, Operation: 'delete' })),
      ],
    });
    expect(rows).toEqual([
      ['update', 1000],
      ['update', 1000],
      ['update', 700],
    ]);
    expect(events).toEqual({
      'principal.updated': [undefined],
      'user.registered': expect.any(Array),
      'user.password_reset': reset,
      'user.updated': edited,
      'user.deleted': deleted,
    });
    expect(new Set(events['user.registered']).size).toBe(800);
  });
});
