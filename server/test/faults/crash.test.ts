import { lookInto, startChild, usedData } from '@anagrafe/testing/child';
import { isRunning, postmasterOf, requirePostmaster } from '@anagrafe/testing/embedded-postgres';
import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';
import { newPrincipals, newRecords } from './jobs.ts';
import { embeddedConnection, lockPrincipals } from './row-lock.ts';

/** Records in the order sent: at the kill, these are stored, the next are being written, and the rest wait. */
const stored = 6;
/** The service writes four records of a call at a time. */
const beingWritten = 4;
const waiting = 4;
const usersPerRecord = 3;

it('a service that is killed during a call, alone and then with its PostgreSQL, has stored each record whole or not at all and works after a restart', async () => {
  const data = await usedData();
  let child = await startChild({ ANAGRAFE_DATA: data });
  const principals = await newPrincipals(child, stored + beingWritten + waiting);
  const names = () =>
    lookInto(data, async (database) => {
      expect(await wrongFigures(database)).toEqual([]);
      return storedUsernames(database);
    });

  for (const killed of ['service', 'service and PostgreSQL']) {
    const withPostgres = killed !== 'service';
    const body = newRecords(principals, { imported: usersPerRecord }, `${killed} `);
    const earlier = (await names()).size;
    // Only `beingWritten` of the locked records are sent to PostgreSQL at once; the others wait in the service.
    const lock = await lockPrincipals(embeddedConnection(data), principals.slice(stored));
    const answer = child.call('irs/update', body).then(
      (response) => response.status,
      () => 'none',
    );
    await lock.blocked(beingWritten);
    await until(async () => (await names()).size === earlier + stored * usersPerRecord);
    const postmaster = await requirePostmaster(data);
    if (withPostgres) process.kill(postmaster, 'SIGKILL');
    expect(await child.end('SIGKILL')).toBe('SIGKILL');
    expect(await answer).toBe('none');
    await lock.release().catch(() => {});
    if (withPostgres) await until(() => !isRunning(postmaster));
    else expect(isRunning(postmaster)).toBe(true);

    child = await startChild({ ANAGRAFE_DATA: data });
    expect((await postmasterOf(data)) === postmaster).toBe(!withPostgres);
    await expect.poll(async () => (await fetch(`${child.url}/health/ready`)).status).toBe(200);
    // If only the service was killed, PostgreSQL may still commit its last statements.
    const settled = `select from pg_stat_activity where state = 'active' and query like '%anagrafe.principals%'
      and pid <> pg_backend_pid()`;
    await until(() => lookInto(data, async (database) => (await database.query(settled)).length === 0));
    const found = await names();
    const counts = body.map(({ Users }) => Users.filter(({ Username }) => found.has(Username)).length);
    expect(counts.slice(0, stored)).toEqual(Array(stored).fill(usersPerRecord));
    for (const count of counts.slice(stored, -waiting)) expect([0, usersPerRecord]).toContain(count);
    expect(counts.slice(-waiting)).toEqual(Array(waiting).fill(0));
    expect(found.size).toBe(earlier + counts.reduce((sum, count) => sum + count));

    // The call can be sent again: records that were stored are refused, the others are applied.
    const again = await child.call('irs/update', body);
    const { result } = (await again.json()) as Envelope<Tuple>;
    expect(result?.records.map((tuple) => tuple.Item2)).toEqual(
      counts.map((count) => (count === 0 ? null : 'USERNAME_TAKEN')),
    );
  }
  expect(await child.end('SIGTERM')).toBe(0);
  expect(await postmasterOf(data)).toBeUndefined();
});
