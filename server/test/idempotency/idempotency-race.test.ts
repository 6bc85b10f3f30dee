import { setTimeout as sleep } from 'node:timers/promises';
import { wrongFigures } from '@anagrafe/testing/figures';
import { holding, importedUser, principalLock } from '@anagrafe/testing/jobs';
import {
  type Answer,
  insertPrincipals,
  newUser,
  startTestService,
  type TestService,
} from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const send = (key: string, records: unknown, path = 'irs/update') =>
  service.call(path, records, { headers: { 'idempotency-key': key, prefer: 'return=representation' } });

/** Repeats a call while the answer is 409, as a client does. */
async function sendUntilAnswered(key: string, records: unknown, path?: string): Promise<Answer> {
  for (;;) {
    const answer = await send(key, records, path);
    if (answer.status !== 409) return answer;
    expect(answer.body.errorCode).toBe('IDEMPOTENCY_IN_PROGRESS');
    await sleep(20);
  }
}

const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

describe('a call with a key that is in progress', () => {
  it('gets 409 with Retry-After when it is sent again, and later the stored answer', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const records = [{ ID, Users: [importedUser('worked on')] }];
    const [answered] = await holding(service, principalLock(ID), async ({ blocked }) => {
      const answer = send('worked-on', records);
      await blocked(1);
      const again = await send('worked-on', records);
      expect(again.status).toBe(409);
      expect(again.headers.get('retry-after')).toBe('2');
      expect(again.body).toEqual({
        statusCode: 409,
        errorCode: 'IDEMPOTENCY_IN_PROGRESS',
        message:
          'A call with this Idempotency-Key is still running or was just interrupted. To get its answer, send it again after 2 s.',
        result: null,
        debug: null,
      });
      const other = await send('worked-on', [{ ID, Users: [importedUser('something else')] }]);
      expect([other.status, other.body.errorCode]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      return [answer] as const;
    });
    const first = await answered;
    expect([first.status, replayed(first)]).toEqual([200, false]);
    const again = await send('worked-on', records);
    expect([again.text, replayed(again)]).toEqual([first.text, true]);
  });

  it.each([
    ['irs/insert', () => [{ Denomination: 'Twenty times' }, { Denomination: 'And again' }]],
    ['irs/update', (ID: number) => [{ ID, Users: [newUser('twenty times'), newUser('and again')] }]],
  ])('is applied once when it is sent twenty times concurrently to %s', async (path, recordsOf) => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const records = recordsOf(ID);
    const key = `twenty-${path.slice(4)}`;
    const before = await rowCount();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendUntilAnswered(key, records, path)),
    );
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(answers.filter((answer) => !replayed(answer))).toHaveLength(1);
    expect(await rowCount()).toBe(before + 2);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('is applied for only one of several bodies that are sent concurrently with one key', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const before = await rowCount();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => send('ten-bodies', [{ ID, Users: [importedUser(`body ${n}`)] }])),
    );
    const codes = answers.map(({ status, body }) => [status, body.errorCode]);
    expect(codes.filter(([status]) => status === 200)).toHaveLength(1);
    expect(codes.filter(([, code]) => code === 'IDEMPOTENCY_KEY_REUSED')).toHaveLength(9);
    expect(await rowCount()).toBe(before + 1);
  });

  it.each(['register', 'reset'])(
    'is applied once even if a retry takes over its lease: a call to %s',
    async (operation) => {
      const [ID = 0] = await insertPrincipals(service, 1);
      const made = await send(`owner-${operation}`, [{ ID, Users: [importedUser(`owner ${operation}`)] }]);
      const user = made.body.result?.records[0]?.Item6.Users?.[0]?.ID;
      const reset = { ID: user, Password: 'a new sentence', ConfirmPassword: 'a new sentence' };
      const item = operation === 'reset' ? reset : newUser('by one of two');
      const records = [{ ID, Users: [item] }];
      const key = `two-${operation}`;
      const [first, second] = await holding(service, principalLock(ID), async ({ blocked }) => {
        const one = send(key, records);
        await blocked(1);
        // The lease of the first request is made to look expired, so that the retry takes it over.
        const other = (async () => {
          for (;;) {
            await service.database.query(
              `update anagrafe.calls set lease_renewed_at = now() - interval '1 hour' where idempotency_key = $1`,
              [key],
            );
            const answer = await send(key, records);
            if (answer.status !== 409) return answer;
          }
        })();
        // Both requests wait for a lock. The poll uses new transactions, since pg_stat_activity is fixed within one.
        const waiting = async () => (await service.database.query(waitingBackends)).length;
        await expect.poll(waiting).toBe(2);
        return [one, other];
      });
      const [one, other] = await Promise.all([first, second]);
      expect([one?.status, other?.status]).toEqual([200, 200]);
      expect(other?.text).toBe(one?.text);
      const outcomes = await service.database.query(
        `select from anagrafe.outcomes join anagrafe.calls on id = call_id where idempotency_key = $1`,
        [key],
      );
      expect(outcomes).toHaveLength(1);
      expect(await wrongFigures(service.database)).toEqual([]);
    },
  );
});

/** Blocks reads too. */
const allPrincipalsLock = ['lock table anagrafe.principals in access exclusive mode'] as const;
const waitingBackends = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

async function rowCount(): Promise<number> {
  const [row] = await service.database.query<{ count: number }>(
    'select (select count(*) from anagrafe.users) + (select count(*) from anagrafe.principals) as count',
  );
  return row?.count ?? 0;
}

describe('a partially applied call with a key', () => {
  it('continues when it is sent again, and applied records are not applied twice', async () => {
    const [free = 0, held = 0] = await insertPrincipals(service, 2);
    const records = [
      { ID: free, Users: [importedUser('taken at once')] },
      { ID: held, Users: [importedUser('taken later')] },
      { ID: 987_654, Users: [importedUser('never taken')] },
    ];
    const first = await holding(service, principalLock(held), async ({ blocked, connection }) => {
      const answer = send('in-parts', records);
      await blocked(1);
      await connection.query(
        'select pg_cancel_backend(pid) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
      );
      return answer;
    });
    const codesOf = ({ body }: Answer) => body.result?.records.map((tuple) => tuple.Item2);
    expect([first.status, codesOf(first)]).toEqual([207, [null, 'NOT_APPLIED', 'PRINCIPAL_NOT_FOUND']]);
    const second = await send('in-parts', records);
    expect([second.status, replayed(second)]).toEqual([207, false]);
    expect(codesOf(second)).toEqual([null, null, 'PRINCIPAL_NOT_FOUND']);
    expect(second.body.result?.records[0]).toEqual(first.body.result?.records[0]);
    const third = await send('in-parts', records);
    expect([third.text, replayed(third)]).toEqual([second.text, true]);
    expect(await wrongFigures(service.database)).toEqual([]);
  });
});

describe('a call with a key beside a hash queue that is too long', () => {
  const users = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) => newUser(`${name} ${n}`));

  let busy: TestService;
  beforeAll(async () => {
    busy = await startTestService({
      ANAGRAFE_MAX_WAIT_SECONDS: '1',
      ANAGRAFE_HASH_CONCURRENCY: '1',
      ANAGRAFE_HASH_PASSES: '20',
    });
  });

  it('gets 503 with Retry-After, and does not use up its key', async () => {
    const [ID = 0] = await insertPrincipals(busy, 1);
    const again = () =>
      busy.call('irs/update', [{ ID, Users: users(2, 'too many') }], {
        headers: { 'idempotency-key': 'too-busy' },
      });
    // The admitted call waits for the lock, and the time reserved for its hashes refuses the other one. It ends without a
    // hash, because there is no such principal.
    const [admitted] = await holding(busy, allPrincipalsLock, async ({ blocked }) => {
      const call = busy.call('irs/update', [{ ID: ID + 1000, Users: users(60, 'queue') }]);
      await blocked(1);
      const refused = await again();
      expect([refused.status, refused.body.errorCode]).toEqual([503, 'OVERLOADED']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      return [call] as const;
    });
    expect((await admitted).status).toBe(422);
    const answer = await again();
    expect([answer.status, replayed(answer)]).toEqual([200, false]);
  });

  it('is resumed without waiting for the passwords of its applied records', async () => {
    const [applied = 0, left = 0] = await insertPrincipals(busy, 2);
    const records = [
      { ID: applied, Users: users(2, 'applied before') },
      { ID: left, Users: [importedUser('left')] },
    ];
    const headers = { 'idempotency-key': 'half-applied' };
    const first = await busy.call('irs/update', records, { headers });
    expect(first.status).toBe(200);
    // As after a lost connection: the outcome of the last record, and the completion of the call, were not stored.
    await busy.database.query(
      `with resumable as (
         update anagrafe.calls set state = 'open', lease_id = null where idempotency_key = 'half-applied' returning id)
       delete from anagrafe.outcomes where position = 1 and call_id = (select id from resumable)`,
    );
    const [waiting, resumed] = await holding(busy, allPrincipalsLock, async ({ blocked }) => {
      const call = busy.call('irs/update', [{ ID: applied + 1000, Users: users(60, 'queue') }]);
      await blocked(1);
      const again = busy.call('irs/update', records, { headers });
      await Promise.race([again, blocked(2)]);
      return [call, again] as const;
    });
    expect((await waiting).status).toBe(422);
    expect((await resumed).body.result?.records.map(({ Item2 }) => Item2)).toEqual([null, 'USERNAME_TAKEN']);
  });
});
