import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { expect, it, onTestFinished } from 'vitest';
import { anyTimeline, repeatDeletions } from '../../src/cli/restored-backup.ts';
import { readDatabaseId } from '../../src/db/master-keys.ts';
import { erasureLogIn } from '../../src/erasures/erasure-log.ts';

const service = await startTestService();

async function register(principal: number, ...names: string[]): Promise<number[]> {
  const { body } = await service.call(
    'irs/update',
    [{ ID: principal, Users: names.map((name) => importedUser(name)) }],
    { headers: { prefer: 'return=representation' } },
  );
  return (body.result?.records[0]?.Item6.Users ?? []).map(({ ID }) => ID);
}

function line(position: number, principal: number | null, users: readonly number[], more: object = {}) {
  const at = new Date().toISOString();
  const row = { at, timeline: '00000009', position: 1_000_000 + position, hash: '00'.repeat(32), call: null };
  return JSON.stringify({ ...row, principal, users, ...more });
}

function logWith(...lines: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-erasures-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = erasureLogIn(folder);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const usernames = async () =>
  (await service.database.query<{ username: string }>('select username from anagrafe.users order by id')).map(
    ({ username }) => username,
  );

it('the deletion of a principal is repeated only if all of its users were deleted', async () => {
  const [moved = 0, large = 0] = await insertPrincipals(service, 2);
  // "stayed" had moved to another principal before the first one was deleted.
  const [gone = 0] = await register(moved, 'gone', 'stayed');
  const users = await register(large, 'one', 'two');
  // The users of a large principal are in several lines.
  const path = logWith(
    line(1, moved, [gone]),
    line(2, large, users.slice(0, 1)),
    line(3, null, users.slice(1)),
  );
  expect(await repeatDeletions(service.database, { path, timeline: anyTimeline })).toEqual({
    principals: 1,
    users: 1,
    kept: [moved],
    foreign: 0,
  });
  expect(await usernames()).toEqual(['stayed']);
});

it('a line that names another database is left out and counted, one that names none is applied', async () => {
  const [principal = 0] = await insertPrincipals(service, 1);
  const [own = 0, foreign = 0, unnamed = 0] = await register(principal, 'own', 'foreign', 'unnamed');
  const id = await readDatabaseId(service.database);
  const path = logWith(
    line(4, null, [own], { database: id }),
    line(5, null, [foreign], { database: 'ab'.repeat(32) }),
    line(6, principal, [own, foreign, unnamed], { database: 'ab'.repeat(32) }),
    line(7, null, [unnamed]),
  );
  expect(await repeatDeletions(service.database, { path, timeline: anyTimeline })).toEqual({
    principals: 0,
    users: 2,
    kept: [],
    foreign: 2,
  });
  expect(await usernames()).toEqual(['stayed', 'foreign']);
});
