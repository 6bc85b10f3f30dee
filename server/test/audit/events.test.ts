import { allHashed } from '@anagrafe/testing/audit-chain';
import { finished, holding, submit } from '@anagrafe/testing/jobs';
import { registerUsers, rightPassword } from '@anagrafe/testing/login';
import {
  type Answer,
  insertPrincipals,
  newUser,
  startTestService,
  type TestService,
} from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CloudEvent } from '../../src/audit/events.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  // Every test needs an earlier event to read after, also the test that runs first.
  await insertPrincipals(service, 1);
});

interface Feed {
  readonly After: string | null;
  readonly More: boolean;
}

async function read(query = ''): Promise<Answer<CloudEvent>> {
  const response = await fetch(`${service.url}/api/sync/v1/events${query}`);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const feedOf = ({ body }: Answer<CloudEvent>) => body.result?.record as Feed;

/** Reads all events after the given event ID, or all events if it is null, page by page. */
async function readOn(after: string | null, pageSize = 1000): Promise<CloudEvent[]> {
  await allHashed(service);
  const events: CloudEvent[] = [];
  for (let cursor = after; ; ) {
    const answer = await read(`?pageSize=${pageSize}${cursor === null ? '' : `&after=${cursor}`}`);
    events.push(...(answer.body.result?.records ?? []));
    const { After, More } = feedOf(answer);
    if (!More) return events;
    cursor = After;
  }
}

async function end(): Promise<string | null> {
  return (await readOn(null)).at(-1)?.id ?? null;
}

describe('events', () => {
  it('describe the changes of a call as CloudEvents, without secrets', async () => {
    const after = await end();
    const { principal, ids } = await registerUsers(service, 'mario', 'anna');
    const reset = { ID: ids[0], Password: 'a new long sentence', ConfirmPassword: 'a new long sentence' };
    await service.call('irs/update', [{ ID: principal, Users: [newUser('carla'), reset] }], {
      headers: { 'x-request-id': 'the-third-call' },
    });
    const events = await readOn(after);
    expect(events.map(({ type }) => type)).toEqual([
      'principal.inserted',
      'call.completed',
      'user.registered',
      'user.registered',
      'call.completed',
      'user.registered',
      'user.password_reset',
      'call.completed',
    ]);
    expect(events[6]).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^\d+\.1$/),
      source: '/api/sync/v1',
      type: 'user.password_reset',
      subject: `users/${ids[0]}`,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      datacontenttype: 'application/json',
      data: { IRID: principal, ExternalKey: null, UserID: ids[0], Username: 'mario', Email: null },
    });
    expect(events[7]?.data).toEqual({
      RequestId: 'the-third-call',
      Operation: 'update',
      Records: 1,
      RecordsFailed: 0,
      Users: 2,
      UsersApplied: 2,
    });
    const text = JSON.stringify(events);
    for (const secret of [rightPassword, 'a new long sentence', 'argon2']) expect(text).not.toContain(secret);
  });

  it('contain the names of edited fields and the external key of the principal', async () => {
    const { principal, ids } = await registerUsers(service, 'edited', 'deleted');
    await service.call('irs/update', [{ ID: principal, NewExternalKey: 'EV-1' }]);
    const after = await end();
    const [one, two] = ids;
    const record = {
      ExternalKey: 'EV-1',
      Denomination: 'Edited',
      Taxcode: 'X',
      State: 'disabled',
      Users: [
        { Operation: 'delete', ID: two },
        {
          Operation: 'edit',
          ID: one,
          NewUsername: 'edited again',
          Email: 'e@example.com',
          State: 'disabled',
        },
      ],
    };
    await service.call('irs/update', [record]);
    await service.call('irs/update', [{ ...record, Users: record.Users.slice(1) }]);
    const events = await readOn(after);
    const data = { IRID: principal, ExternalKey: 'EV-1' };
    const user = { ...data, UserID: one, Username: 'edited again', Email: 'e@example.com' };
    expect(events.map(({ type, subject, data: found }) => [type, subject, found])).toEqual([
      ['principal.updated', `principals/${principal}`, { ...data, Changed: ['Denomination', 'Taxcode'] }],
      ['principal.state_changed', `principals/${principal}`, { ...data, State: 'disabled' }],
      ['user.updated', `users/${one}`, { ...user, Changed: ['Username', 'Email'] }],
      ['user.state_changed', `users/${one}`, { ...user, State: 'disabled' }],
      ['user.deleted', `users/${two}`, { ...data, UserID: two }],
      ['call.completed', expect.any(String), expect.any(Object)],
      // The second call changes nothing.
      ['call.completed', expect.any(String), expect.objectContaining({ RecordsFailed: 0 })],
    ]);
  });

  it('are created for states that change, not for equal ones, and for the end of a job', async () => {
    const { principal, ids } = await registerUsers(service, 'state one', 'state two');
    const after = await end();
    const Users = ids.map((ID) => ({ ID, State: 'disabled' }));
    await service.call('irs/state', [{ ID: principal, State: 'active', Users: Users.slice(0, 1) }]);
    await service.call('irs/state', [{ ID: principal, State: 'disabled', Users }]);
    const records = [
      { ID: principal, Users: [newUser('x')] },
      { ID: 1, Users: [] },
    ];
    const job = await submit(service, 'irs/update', records);
    await finished(service, job);
    const events = await readOn(after);
    expect(events.map(({ type, data }) => [type, data.UserID ?? null, data.State ?? null])).toEqual([
      ['user.state_changed', ids[0], 'disabled'],
      ['call.completed', null, null],
      ['principal.state_changed', null, 'disabled'],
      ['user.state_changed', ids[1], 'disabled'],
      ['call.completed', null, null],
      ['job.completed', null, 'completed'],
    ]);
    expect(events.at(-1)).toMatchObject({
      subject: `jobs/${job}`,
      data: { JobID: job, Operation: 'update', Records: 2, RecordsFailed: 2, Users: 1, UsersApplied: 0 },
    });
  });

  it('are paged without gaps, also if a page ends within a record', async () => {
    const after = await end();
    const names = Array.from({ length: 25 }, (_, n) => `page ${n}`);
    await registerUsers(service, ...names);
    const all = await readOn(after);
    expect(all).toHaveLength(28);
    for (const pageSize of [1, 7, 28]) expect(await readOn(after, pageSize)).toEqual(all);
    const last = await read(`?after=${all.at(-1)?.id}`);
    expect([last.body.result?.records, feedOf(last)]).toEqual([[], { After: all.at(-1)?.id, More: false }]);
  });

  it('are read without gaps if an earlier transaction commits later', async () => {
    const after = await end();
    const { database } = service;
    const insert = `insert into anagrafe.audit_log (actor, action, principal_id) values ('service', 'insert', $1)`;
    const cursor = await holding(service, [insert, 1], async () => {
      await database.query(insert, [2]);
      await expect.poll(async () => (await readOn(after)).map(({ data }) => data.IRID)).toEqual([2]);
      return end();
    });
    await expect.poll(async () => (await readOn(cursor)).map(({ data }) => data.IRID)).toEqual([1]);
  });

  it('do not block writers while the hash chain is locked', async () => {
    const after = await end();
    await holding(service, ['select from anagrafe.audit_chain for update'], async () => {
      const calls = Array.from({ length: 20 }, (_, n) =>
        service.call('irs/insert', [{ Name: `unordered ${n}` }]),
      );
      for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
      expect((await read(`?after=${after}`)).body.result?.records).toEqual([]);
    });
    expect(await readOn(after)).toHaveLength(40);
  });

  it('are refused with 400 if after is not the ID of an event', async () => {
    for (const wrong of ['x', '1', '1.', '.1', '-1.0', '1.0.0', '']) {
      const { status, body } = await read(`?after=${wrong}`);
      expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
    }
    expect((await read('?since=1.0')).status).toBe(400);
    const beyond = await read('?after=999999.0');
    expect([beyond.status, beyond.body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  });
});
