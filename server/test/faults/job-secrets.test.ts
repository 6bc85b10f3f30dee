import { randomBytes } from 'node:crypto';
import { type Child, lookInto, startChild, usedData } from '@anagrafe/testing/child';
import { holding, principalLock } from '@anagrafe/testing/jobs';
import { expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';
import { jobOf, leftOver, newPrincipals, submit, untilEnded } from './jobs.ts';
import { filesWith, formsOf, holds, rowsWith } from './traces.ts';

/** Every secret of the test contains `canary`, every username contains `visible`, and no other text does. */
const canary = `canary${randomBytes(8).toString('hex')}`;
const visible = `visible${randomBytes(8).toString('hex')}`;

let secrets = 0;
const secret = () => `a ${canary} ${secrets++}`;
const name = (text: string) => `${visible} ${text}`;

function secretUser(username: string, more: Record<string, unknown> = {}) {
  const Password = secret();
  return { Username: name(username), Password, ConfirmPassword: Password, ...more };
}

/** Invalid records, with secrets in password fields and in other fields. */
function refusedRecords(ID: number): unknown[] {
  const users = [
    secretUser('mismatch', { ConfirmPassword: secret() }),
    secretUser('misspelt', { Passwort: secret(), password: secret(), PASSWORD: secret() }),
    { Username: name('nested'), Password: { Password: secret() }, ConfirmPassword: [secret(), [secret()]] },
    secretUser('email', { Email: secret() }),
    secretUser('hash', { PasswordHash: secret() }),
    { ID: secret(), Password: secret(), ConfirmPassword: secret() },
    { Password: secret(), ConfirmPassword: secret() },
    secret(),
    [secret()],
  ];
  return [
    ...users.map((user) => ({ ID, Users: [user] })),
    { ID, Users: users },
    { ID, Users: secret() },
    { ID: secret(), Users: [secretUser('no principal')] },
    { ID: { secret: secret() }, Users: [secretUser('object')] },
    { ID, Password: secret(), Users: [secretUser('outside')] },
    { ID, FieldErrors: { Password: [secret()] }, Users: [{ ...secretUser('faults'), Password: 'short' }] },
  ];
}

/** Expects no secret in files, tables and logs, and expects the same search to find the text that is not secret. */
async function expectNoSecret(child: Child, data: string, database: Database): Promise<void> {
  await database.query('checkpoint');
  expect(await filesWith(data, canary)).toEqual([]);
  expect(await rowsWith(database, canary)).toEqual([]);
  expect([...child.log, ...child.said].filter((line) => holds(Buffer.from(line), canary))).toEqual([]);

  const files = await filesWith(data, visible);
  expect(files.some((path) => path.includes('/base/'))).toBe(true);
  expect(files.some((path) => path.includes('/pg_wal/'))).toBe(true);
  const tables = await rowsWith(database, visible);
  expect(tables).toContain('anagrafe.users');
  expect(tables).toContain('anagrafe.outcomes');
  expect(child.log.length).toBeGreaterThan(10);
}

const statusOf = async (answer: Promise<Response>) => ((await (await answer).json()) as Envelope).statusCode;

it('the search for secrets finds a text in every encoding in which it could be stored', () => {
  const around = (form: Buffer) => Buffer.concat([randomBytes(99), form, randomBytes(99)]);
  for (const form of formsOf(canary)) expect(holds(around(form), canary)).toBe(true);
  for (const before of ['', 'a', 'ab']) {
    const coded = Buffer.from(`${before}${canary} 12`).toString('base64');
    expect(holds(around(Buffer.from(coded)), canary)).toBe(true);
  }
  expect(holds(randomBytes(100_000), canary)).toBe(false);
});

it('no password is on the disk or in the log, neither while a job waits in the queue nor after its end', async () => {
  const data = await usedData();
  const child = await startChild({ ANAGRAFE_DATA: data, ANAGRAFE_LOG_LEVEL: 'trace' });
  const [held = 0, free = 0, ...principals] = await newPrincipals(child, 7);
  const good = (kind: string) =>
    principals.map((ID) => ({ ID, Users: [secretUser(`${kind} ${ID}`), secretUser(`${kind} ${ID} too`)] }));

  const body = [...good('keyed'), ...refusedRecords(free)];
  expect(await statusOf(child.call('irs/update', body, { 'idempotency-key': 'secret' }))).toBe(207);
  expect(await statusOf(child.call('irs/update', body, { 'idempotency-key': 'secret' }))).toBe(207);
  expect(await statusOf(child.call('irs/update?dryRun=true', body))).toBe(422);
  const inserted = [{ Denomination: visible, Users: [secretUser('inserted')], Password: secret() }];
  const asJob = { 'idempotency-key': 'insert', prefer: 'respond-async' };
  expect(await statusOf(child.call('irs/insert', inserted, asJob))).toBe(202);

  await lookInto(data, async (database) => {
    // While the lock is held, one record cannot be written, so the job cannot end.
    const id = await holding({ database }, principalLock(held), async ({ connection }) => {
      const records = [
        ...good('job'),
        ...refusedRecords(free),
        { ID: held, Users: [secretUser('wanted')] },
        { ID: held, Users: [secretUser('behind')] },
      ];
      const job = await submit(child, records, { 'idempotency-key': 'job' });
      await expect.poll(async () => (await jobOf(child, job)).RecordsDone).toBe(records.length - 2);
      const cancelled = await submit(child, [{ ID: held, Users: [secretUser('cancelled')] }]);
      await fetch(`${child.url}/api/sync/v1/jobs/${cancelled}`, { method: 'DELETE' });
      // A call takes the username; the job gets the conflict when it writes.
      const taken = [{ ID: free, Users: [secretUser('wanted')] }];
      expect(await statusOf(child.call('irs/update', taken))).toBe(200);

      const waiting = await connection.query('select from anagrafe.chunks where call_id = $1', [job]);
      expect(waiting.length).toBeGreaterThan(0);
      await expectNoSecret(child, data, database);
      expect((await jobOf(child, job)).State).toBe('running');
      return job;
    });
    const tuples: Tuple[] = await untilEnded(child, id);
    expect(tuples.filter((tuple) => tuple.Item3)).toHaveLength(principals.length + 1);
    expect(tuples.filter((tuple) => tuple.Item2 === 'USERNAME_TAKEN')).toHaveLength(1);
    await expect.poll(() => leftOver(database)).toEqual([]);
    const failed = await fetch(`${child.url}/api/sync/v1/jobs/${id}/failed`);
    expect(holds(Buffer.from(await failed.arrayBuffer()), canary)).toBe(false);
    await expectNoSecret(child, data, database);
    const keys = await database.query('select from anagrafe.calls where wrapped_key is not null');
    expect(keys).toEqual([]);
  });
  expect(await child.end('SIGTERM')).toBe(0);
  expect(await filesWith(data, canary)).toEqual([]);
  expect([...child.log, ...child.said].filter((line) => holds(Buffer.from(line), canary))).toEqual([]);
});
