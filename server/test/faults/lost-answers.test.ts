import { randomUUID } from 'node:crypto';
import { adminOf, credential } from '@anagrafe/testing/admin';
import { browserOf, keysOf, ownPage } from '@anagrafe/testing/console';
import { importedUser } from '@anagrafe/testing/jobs';
import { login, loginOf, registerUsers, signedIn } from '@anagrafe/testing/login';
import { startReceiver } from '@anagrafe/testing/receiver';
import { type Answer, insertPrincipals } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { completeSettledCalls } from '../../src/calls/calls.store.ts';
import { openIdempotencyStore } from '../../src/idempotency/idempotency.store.ts';
import { type HurtService, startHurtService } from './hurt-answers.ts';

let tested: HurtService;
beforeAll(async () => {
  tested = await startHurtService({ tls: false });
});

const isClaim = (text: string) => text.includes('insert into anagrafe.calls');
/** Not the statement that counts completed calls for the overview, which the service may send at any time. */
const completes = (text: string) => text.includes(`set state = 'completed'`);

/** Prepares a call with a key that registers one user. */
async function newCall() {
  const [ID] = await insertPrincipals(tested.service, 1);
  const key = randomUUID();
  const records = [{ ID, Users: [importedUser(key)] }];
  return {
    key,
    send: () => tested.service.call('irs/update', records, { headers: { 'idempotency-key': key } }),
  };
}

const openCall = (key: string) =>
  tested.rows('select id, lease_id as "leaseId" from anagrafe.calls where idempotency_key = $1', [key]);
const completedRows = (key: string) =>
  tested.rows(
    `select details from anagrafe.audit_log join anagrafe.calls on calls.id = call_id
      where idempotency_key = $1 and action = 'call.completed'`,
    [key],
  );

describe('a key whose claim was stored although its answer was lost', () => {
  it('can be used again as soon as the call is answered', async () => {
    const { key, send } = await newCall();
    tested.proxy.arm({ fault: 'a TLS alert', when: 'after', nth: 1, seed: 0, concerns: isClaim });
    expect((await send()).status).toBe(503);
    expect(await openCall(key)).toHaveLength(1);
    expect((await send()).status).toBe(200);
  });

  it('is released when PostgreSQL executes the claim after the call was answered', async () => {
    const { key, send } = await newCall();
    const answer = await tested.transaction(async (connection) => {
      // The claim waits for the end of the transaction that has inserted the same key.
      await connection.query(
        `insert into anagrafe.calls (id, operation, state, idempotency_key) values ($1, 'update', 'open', $2)`,
        [randomUUID(), key],
      );
      const sent = send();
      const blocked = 'select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
      await expect.poll(() => connection.query(blocked)).toHaveLength(1);
      tested.proxy.closeAll();
      await connection.query('delete from anagrafe.calls where idempotency_key = $1', [key]);
      return sent;
    });
    expect(answer.status).toBe(503);
    await expect.poll(() => openCall(key)).toEqual([{ id: expect.any(String), leaseId: null }]);
    expect((await send()).status).toBe(200);
  });
});

describe('a call whose last statement failed', () => {
  it('is completed later, with its audit row, if it has a key', async () => {
    const { key, send } = await newCall();
    tested.proxy.arm({ fault: 'a TLS alert', when: 'before', nth: 1, seed: 0, concerns: completes });
    const { status, text } = await send();
    expect(status).toBe(200);
    expect(tested.proxy.isArmed()).toBe(false);
    await Promise.all([1, 2].map(() => completeSettledCalls(tested.service.database)));
    const details = {
      operation: 'update',
      records: 1,
      recordsFailed: 0,
      users: 1,
      usersApplied: 1,
      milliseconds: expect.any(Number),
    };
    // The service may be completing the call itself.
    await expect.poll(() => completedRows(key)).toEqual([{ details }]);
    const again = await send();
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([text, 'true']);
  });

  it('is completed without a key, too, when its lease has expired', async () => {
    const [ID] = await insertPrincipals(tested.service, 1);
    const headers = { 'x-request-id': randomUUID() };
    tested.proxy.arm({ fault: 'a TLS alert', when: 'before', nth: 1, seed: 0, concerns: completes });
    const { status } = await tested.service.call('irs/update', [{ ID, Denomination: 'New' }], { headers });
    expect([status, tested.proxy.isArmed()]).toEqual([200, false]);
    const rows = () =>
      tested.rows(
        `select completed.details ->> 'records' as records from anagrafe.audit_log as changed
           join anagrafe.audit_log as completed using (call_id)
          where changed.request_id = $1 and completed.action = 'call.completed'`,
        [headers['x-request-id']],
      );
    const renewedAt = (time: string) =>
      tested.rows(`update anagrafe.calls set lease_renewed_at = ${time} where state = 'open'`, []);
    await renewedAt(`now() + interval '1 hour'`);
    await completeSettledCalls(tested.service.database);
    expect(await rows()).toEqual([]);
    await renewedAt(`now() - interval '1 hour'`);
    await completeSettledCalls(tested.service.database);
    // The service may be completing the call itself.
    await expect.poll(rows).toEqual([{ records: '1' }]);
  });

  it('is not completed while a record has no outcome, or a request works on it', async () => {
    const store = openIdempotencyStore(tested.service.database, { keyHours: 1 });
    const call = (records: number) => {
      const text = randomUUID();
      const key = { text, fingerprints: [Buffer.from(text)] };
      return { clientId: null, operation: 'update', key, run: null, records, users: 1 } as const;
    };
    const [unfinished, running] = [call(2), call(1)];
    for (const each of [unfinished, running]) {
      const claim = await store.claim(each, randomUUID());
      if (claim.state !== 'new') throw new Error('the key was used before');
      await tested.rows(
        `insert into anagrafe.outcomes (call_id, position, users, applied) values ($1, 0, 1, '[]')`,
        [claim.callId],
      );
      if (each === unfinished) await claim.lease.release();
      // The test does not renew its lease, which may expire before the test ends.
      else
        await tested.rows(
          `update anagrafe.calls set lease_renewed_at = now() + interval '1 hour' where id = $1`,
          [claim.callId],
        );
    }
    await completeSettledCalls(tested.service.database);
    for (const { key } of [unfinished, running]) expect(await completedRows(key.text)).toEqual([]);
  });

  it('is searched for once a minute', async () => {
    const scheduled = `select cron from anagrafe_queue.schedule where name = $1`;
    expect(await tested.rows(scheduled, ['completion'])).toEqual([{ cron: '* * * * *' }]);
  });
});

describe('a change of the admin API whose commit was not confirmed', () => {
  const created = [
    ['clients', 'client.created', { Name: 'shop' }],
    ['webhooks', 'webhook.created', { URL: 'https://example.com/hook' }],
  ] as const;

  it.each(created)('is answered with OUTCOME_UNKNOWN: POST %s', async (path, action, body) => {
    const other = await startHurtService({ tls: false });
    const headers = await credential(other.service);
    const rows = () => other.rows('select from anagrafe.audit_log where action = $1', [action]);
    let answer: Answer<unknown>;
    let before: number;
    do {
      before = (await rows()).length;
      let isNext = false;
      const concerns = (text: string) => {
        const isCommit = isNext && text === 'commit';
        isNext ||= text.includes('insert into anagrafe.audit_log');
        return isCommit;
      };
      other.proxy.arm({ fault: 'a TLS alert', when: 'after', nth: 1, seed: 0, concerns });
      answer = await adminOf(other.service)(`POST ${path}`, headers, body);
      // A commit of the hash chain in the same moment can get the fault instead.
    } while (answer.status === 200);
    expect([answer.status, answer.body.errorCode]).toEqual([500, 'OUTCOME_UNKNOWN']);
    expect(answer.body.message).toContain('its outcome is unknown');
    expect(await rows()).toHaveLength(before + 1);
  });
});

describe('a write of one statement that was stored although its answer was lost', () => {
  /** Loses the answer to the first statement that contains the text, after its execution. */
  const lose = (text: string, when: 'before' | 'after' = 'after') =>
    tested.proxy.arm({
      fault: 'a TLS alert',
      when,
      nth: 1,
      seed: 0,
      concerns: (sent) => sent.includes(text),
    });
  const withoutClaim = {
    errorCode: 'UNAVAILABLE',
    message: 'The database did not answer. Retry after 5 s.',
    result: null,
  };
  const count = async (table: string) => (await tested.rows(`select from anagrafe.${table}`, [])).length;

  it('is answered without the claim that nothing was changed: a sign-in', async () => {
    await registerUsers(tested.service, 'lost.session');
    const before = await count('sessions');
    lose('insert into anagrafe.sessions');
    const { status, body } = await login(tested.service, 'lost.session');
    expect([status, body]).toEqual([503, expect.objectContaining(withoutClaim)]);
    expect(await count('sessions')).toBe(before + 1);
    expect((await login(tested.service, 'lost.session')).status).toBe(200);
  });

  it('does not end a sign-in whose session is stored if its counters cannot be cleared', async () => {
    await registerUsers(tested.service, 'lost.counters');
    lose('delete from anagrafe.throttles', 'before');
    const { RefreshToken } = await signedIn(tested.service, 'lost.counters');
    expect(tested.proxy.isArmed()).toBe(false);
    const { body } = await tested.service.call('login/refresh', { RefreshToken });
    expect(loginOf(body).Token).toMatch(/^agt_/);
  });

  it('is answered without the claim that nothing was changed: a sign-in at the console', async () => {
    const other = await startHurtService({ tls: false });
    const keys = keysOf(await credential(other.service));
    const concerns = (sent: string) => sent.includes('insert into anagrafe.console_sessions');
    other.proxy.arm({ fault: 'a TLS alert', when: 'after', nth: 1, seed: 0, concerns });
    const signIn = () => browserOf(other.service)('POST /console/session', ownPage, keys);
    const { status, body } = await signIn();
    expect([status, body]).toEqual([503, expect.objectContaining(withoutClaim)]);
    expect(await other.rows('select from anagrafe.console_sessions', [])).toHaveLength(1);
    expect((await signIn()).status).toBe(200);
  });

  it('is answered without the claim that nothing was changed: the test of a webhook', async () => {
    const other = await startHurtService({ tls: false });
    const headers = await credential(other.service);
    const receiver = await startReceiver();
    const { id } = await subscribe(other.service, receiver.url);
    const concerns = (sent: string) => sent.includes('insert into anagrafe.deliveries');
    other.proxy.arm({ fault: 'a TLS alert', when: 'after', nth: 1, seed: 0, concerns });
    const { status, body } = await adminOf(other.service)(`POST webhooks/${id}/test`, headers);
    expect([status, body]).toEqual([503, expect.objectContaining(withoutClaim)]);
    expect(await other.rows('select from anagrafe.deliveries where position is null', [])).toHaveLength(1);
  });
});
