import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { holding, importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { completeErasureLog } from '../../src/backup-tasks.ts';
import { readDatabaseId } from '../../src/db/master-keys.ts';
import { type Erasure, erasureLogIn } from '../../src/erasures/erasure-log.ts';
import { erasureLogWriter } from '../../src/erasures/write-erasures.ts';

const service = await startTestService();
const { database } = service;
let users = 0;

/** Deletes a user, and waits until the deletion is in the hash chain. Returns the ID of the user. */
async function deleteUser(): Promise<number> {
  const [ID = 0] = await insertPrincipals(service, 1);
  const Username = `user ${++users}`;
  const { body } = await service.call('irs/update', [{ ID, Users: [importedUser(Username)] }], {
    headers: { prefer: 'return=representation' },
  });
  await service.call('irs/delete', [{ ID, Users: [{ Username }] }]);
  await allHashed(service);
  return body.result?.records[0]?.Item6.Users?.[0]?.ID ?? 0;
}

function newLog(): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-erasures-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return erasureLogIn(join(folder, 'made by the service'));
}

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Erasure => JSON.parse(line));
const deletedIn = (path: string) => linesOf(path).flatMap((line) => line.users);

const newWriter = (path: string) => erasureLogWriter(database, { path, timeline: '00000001' });

describe('the erasure log', () => {
  it('has each deletion once, with the database, also if several nodes share the file', async () => {
    const path = newLog();
    const nodes = Array.from({ length: 4 }, () => newWriter(path));
    const deleted: number[] = [];
    for (let round = 0; round < 3; round++) {
      deleted.push(await deleteUser());
      await Promise.all(nodes.map((node) => node.append()));
    }
    expect(deletedIn(path)).toEqual(deleted);
    expect(new Set(linesOf(path).map((line) => line.database))).toEqual(
      new Set([await readDatabaseId(database)]),
    );
    // A node that starts again continues at the end.
    await newWriter(path).append();
    expect(deletedIn(path)).toEqual(deleted);
  });

  it('continues after its own last line, also if another database or an older version has written later ones', async () => {
    const path = newLog();
    const writer = newWriter(path);
    const first = await deleteUser();
    while (await writer.append());
    const [own = { users: [] }] = linesOf(path).slice(-1);
    expect(own.users).toEqual([first]);
    const before = deletedIn(path).length;
    const other = { ...own, database: 'ab'.repeat(32), users: [7], position: 1_000_000 };
    appendFileSync(path, `${JSON.stringify(other)}\n{"cut off by a ki`);
    const second = await deleteUser();
    await newWriter(path).append();
    await writer.append();
    expect(deletedIn(path).slice(before)).toEqual([7, second]);
  });

  it('is read before the transaction that appends to it, which a large file would keep idle', async () => {
    const path = newLog();
    const writer = newWriter(path);
    await deleteUser();
    while (await writer.append());
    // The lock of `lockErasureLog`, for which that transaction would wait.
    await holding(service, ['select pg_advisory_xact_lock(84200004)'], async () => {
      const restarted = newWriter(path);
      expect(await restarted.append()).toBe(false);
      expect(restarted.position).toBe(writer.position);
    });
  });

  it('does not delay a stop for long, which reports the position from which on the next start appends', async () => {
    const path = newLog();
    const writer = newWriter(path);
    await deleteUser();
    while (await writer.append());
    const { position } = writer;
    expect(position).toBeGreaterThan(0);
    const deleted = await deleteUser();
    const said: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => said.push(line) });
    const extendChain = async () => ({ more: false });
    // The lock of `lockErasureLog`, which a node holds that does not go on.
    await holding(service, ['select pg_advisory_xact_lock(84200004)'], () =>
      completeErasureLog({ log, erasures: writer, extendChain }, 100),
    );
    expect(said.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ position, msg: expect.stringContaining('the next start appends them') }),
    ]);
    const next = newWriter(path);
    await completeErasureLog({ log, erasures: next, extendChain });
    expect(said).toHaveLength(1);
    expect(deletedIn(path).filter((id) => id === deleted)).toEqual([deleted]);
  });
});
