import { wrongFigures } from '@anagrafe/testing/figures';
import { importedUser } from '@anagrafe/testing/jobs';
import { codesOf, importedUsers, insertPrincipal, range, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { counts, countsOf, effectsOf, planOf, storedPrincipal, upsert } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Makes an ended call resumable, as after a crash of the service: outcomes from the index `from` on are lost. */
async function interrupt(idempotencyKey: string, from: number): Promise<void> {
  const [call] = await service.database.query<{ id: string }>(
    `update anagrafe.calls set state = 'open', lease_renewed_at = null, ended_at = null
      where idempotency_key = $1 returning id`,
    [idempotencyKey],
  );
  await service.database.query('delete from anagrafe.outcomes where call_id = $1 and position >= $2', [
    call?.id,
    from,
  ]);
}

describe('concurrent upserts of the same principals', () => {
  it('store the last value of every field that one of them sends', async () => {
    const principals = range(5).map(() => unique('C'));
    await upsert(
      service,
      principals.map((ExternalKey) => ({ ExternalKey, Users: [importedUser(`user ${ExternalKey}`)] })),
    );
    // Each client changes a field of its own, so that a lost update shows as a missing value.
    const fields = ['Denomination', 'Surname', 'Name', 'Vatnumber', 'Taxcode'];
    const rounds = 4;
    const answers = await Promise.all(
      fields.map(async (field) => {
        const codes: unknown[] = [];
        for (const round of range(rounds)) {
          const records = principals.map((ExternalKey) => ({
            ExternalKey,
            [field]: `${field} ${round}`,
            Users: [
              { Username: `user ${ExternalKey}`, Attributes: { [field]: String(round) } },
              importedUser(`${field} ${round} ${ExternalKey}`),
            ],
          }));
          codes.push(...codesOf(await upsert(service, records)));
        }
        return codes;
      }),
    );
    expect(new Set(answers.flat())).toEqual(new Set([null]));
    const rows = await service.database.query(
      `select denomination, surname, name, vatnumber, taxcode, users_count from anagrafe.principals
        where external_key = any($1) order by id`,
      [principals],
    );
    const last = rounds - 1;
    expect(rows).toEqual(
      principals.map(() => ({
        denomination: `Denomination ${last}`,
        surname: `Surname ${last}`,
        name: `Name ${last}`,
        vatnumber: `Vatnumber ${last}`,
        taxcode: `Taxcode ${last}`,
        users_count: 1 + fields.length * rounds,
      })),
    );
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('insert each principal and its users once', async () => {
    const records = range(20).map(() => ({
      ExternalKey: unique('C'),
      Denomination: 'Alfa Srl',
      Users: importedUsers(1),
    }));
    const answers = await Promise.all(range(6).map(() => upsert(service, records)));
    expect(answers.map(({ status }) => status)).toEqual(range(6).map(() => 200));
    const effects = answers.flatMap((answer) => effectsOf(answer));
    expect(effects.filter(({ Principal }) => Principal === 'inserted')).toHaveLength(20);
    expect(effects.filter(({ Principal }) => Principal === 'unchanged')).toHaveLength(100);
    const total = answers.reduce((sum, answer) => sum + (countsOf(answer).UsersRegistered ?? 0), 0);
    expect(total).toBe(20);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('keep the stored counts correct while they delete and register users', async () => {
    const Users = importedUsers(10);
    const { key } = await insertPrincipal(service, { Users });
    await Promise.all(
      range(8).map((n) => {
        const kept = Users.filter((_, index) => index % 8 !== n);
        return upsert(service, [{ ExternalKey: key, Users: kept }], 'missing=delete');
      }),
    );
    expect(await wrongFigures(service.database)).toEqual([]);
    expect((await upsert(service, [{ ExternalKey: key, Users }])).status).toBe(200);
    expect(await storedPrincipal(service, key)).toMatchObject({ users_count: 10 });
  });
});

describe('an upsert that is sent again with its idempotency key', () => {
  it('is applied once and returns the same effects and counts', async () => {
    const { key, usernames } = await insertPrincipal(service, { Users: importedUsers(2) });
    const records = [
      { ExternalKey: key, Denomination: 'Alfa Srl', Users: [{ Username: usernames[0], Phone: '1' }] },
      { ExternalKey: unique('C'), Users: importedUsers(1) },
      { ExternalKey: unique('C'), Email: 'nowhere' },
    ];
    const headers = { 'idempotency-key': 'once' };
    const first = await upsert(service, records, 'missing=disable', headers);
    expect(countsOf(first)).toEqual(
      counts({
        PrincipalsInserted: 1,
        PrincipalsUpdated: 1,
        UsersRegistered: 1,
        UsersUpdated: 1,
        UsersDisabled: 1,
      }),
    );
    const again = await upsert(service, records, 'missing=disable', headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const other = await upsert(service, records, 'missing=delete', headers);
    expect([other.status, other.body.errorCode]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('refuses a duplicate principal whose first record was applied before the service crashed', async () => {
    const key = unique('C');
    const records = [
      { ExternalKey: key, Denomination: 'Alfa Srl' },
      { ExternalKey: key, Denomination: 'Beta Srl' },
    ];
    const headers = { 'idempotency-key': 'resumed' };
    await upsert(service, records, '', headers);
    await interrupt('resumed', 1);
    const resumed = await upsert(service, records, '', headers);
    expect(codesOf(resumed)).toEqual([null, 'DUPLICATE_PRINCIPAL']);
    expect(await storedPrincipal(service, key)).toMatchObject({ denomination: 'Alfa Srl' });
  });

  it('applies the other records of its plan after a crash, except those whose data has changed', async () => {
    const keys = [unique('C'), unique('C'), unique('C')];
    const [, second, third] = keys;
    await upsert(
      service,
      keys.map((ExternalKey) => ({ ExternalKey, Denomination: 'Alfa Srl' })),
    );
    const records = keys.map((ExternalKey) => ({ ExternalKey, Denomination: 'Beta Srl' }));
    const [before] = await service.database.query<{ at: string }>(
      `select updated_at::text as at from anagrafe.principals where external_key = $1`,
      [second],
    );
    const plan = planOf(await upsert(service, records, 'dryRun=true'));
    const headers = { 'idempotency-key': 'plan', 'if-match': `"${plan}"` };
    await upsert(service, records, '', headers);
    // The data after a crash before the second record: that one is as before the call, and the third one has changed.
    await service.database.query(
      `update anagrafe.principals set denomination = 'Alfa Srl' where external_key in ($1, $2)`,
      [second, third],
    );
    await service.database.query(`update anagrafe.principals set updated_at = $2 where external_key = $1`, [
      second,
      before?.at,
    ]);
    await interrupt('plan', 1);
    const resumed = await upsert(service, records, '', headers);
    expect(codesOf(resumed)).toEqual([null, null, 'PLAN_OUTDATED']);
    expect(await storedPrincipal(service, second ?? '')).toMatchObject({ denomination: 'Beta Srl' });
  });
});
