import { afterTest } from '@anagrafe/testing/endings';
import { login, registerUsers, signedIn } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Opens a transaction of the test, in which it holds what a concurrent call of the service would hold. */
async function transaction() {
  const client = new pg.Client(service.config.DATABASE_URL ?? '');
  afterTest(() => client.end().catch(() => {}));
  await client.connect();
  await client.query('begin');
  return {
    query: (sql: string, values: unknown[]) => client.query(sql, values),
    commit: () => client.query('commit'),
    /** Waits until a statement of the service waits for this transaction. */
    blocks: () =>
      until(
        async () =>
          (
            await client.query(
              'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
            )
          ).rowCount !== 0,
        () => 'a statement that waits for the transaction of the test',
      ),
  };
}

/** Deletes a user within the transaction of the test. */
const deletedRows = async (
  open: Awaited<ReturnType<typeof transaction>>,
  user: number,
  principal: number,
) => {
  await open.query('delete from anagrafe.users where id = $1', [user]);
  await open.query('update anagrafe.principals set users_count = users_count - 1 where id = $1', [principal]);
};

describe('the deletion of a user', () => {
  it('during its sign-in makes the sign-in fail as for an unknown user', async () => {
    const { principal, ids } = await registerUsers(service, 'gone during sign-in');
    const open = await transaction();
    await deletedRows(open, ids[0] ?? 0, principal);
    const signingIn = login(service, 'gone during sign-in');
    await open.blocks();
    await open.commit();
    const { status, body } = await signingIn;
    const unknown = await login(service, 'never existed');
    expect([status, body]).toEqual([401, unknown.body]);
  });

  it('during a refresh makes the refresh fail', async () => {
    const { principal, ids } = await registerUsers(service, 'gone during refresh');
    const { RefreshToken } = await signedIn(service, 'gone during refresh');
    const open = await transaction();
    await deletedRows(open, ids[0] ?? 0, principal);
    const refreshing = service.call('login/refresh', { RefreshToken });
    await open.blocks();
    await open.commit();
    expect((await refreshing).status).toBe(401);
  });

  it.each(['user', 'principal'])(
    'while a sign-in inserts a session deletes that session too (irs/delete of the %s)',
    async (what) => {
      const name = `signing in, ${what}`;
      const { principal, ids } = await registerUsers(service, name);
      const open = await transaction();
      await open.query('update anagrafe.users set last_login_at = now() where id = $1', [ids[0]]);
      await open.query(
        `insert into anagrafe.sessions (user_id, user_epoch, principal_epoch, family, token_digest, refresh_digest,
                                        token_expires_at, refresh_expires_at)
         values ($1, 0, 0, gen_random_uuid(), sha256($2::bytea), sha256($2::bytea), now(), now())`,
        [ids[0], name],
      );
      const Users = what === 'user' ? [{ ID: ids[0] }] : null;
      const deleting = service.call('irs/delete', [{ ID: principal, Users }]);
      await open.blocks();
      await open.commit();
      const { status, body } = await deleting;
      expect([status, body.errorCode]).toEqual([200, null]);
      expect(
        await service.database.query('select from anagrafe.sessions where user_id = $1', [ids[0]]),
      ).toEqual([]);
    },
  );
});
