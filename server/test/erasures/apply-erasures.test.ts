import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { expect, it, onTestFinished } from 'vitest';
import { anyTimeline, repeatDeletions } from '../../src/cli/restored-backup.ts';

const service = await startTestService();

async function register(principal: number, ...names: string[]): Promise<number[]> {
  const { body } = await service.call(
    'irs/update',
    [{ ID: principal, Users: names.map((name) => importedUser(name)) }],
    { headers: { prefer: 'return=representation' } },
  );
  return (body.result?.records[0]?.Item6.Users ?? []).map(({ ID }) => ID);
}

it('the deletion of a principal is repeated only if all of its users were deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-erasures-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [moved = 0, large = 0] = await insertPrincipals(service, 2);
  // "stayed" had moved to another principal before the first one was deleted.
  const [gone = 0] = await register(moved, 'gone', 'stayed');
  const users = await register(large, 'one', 'two');
  const line = (position: number, principal: number | null, deleted: readonly number[]) =>
    JSON.stringify({
      at: new Date().toISOString(),
      timeline: '00000009',
      position: 1_000_000 + position,
      hash: '00'.repeat(32),
      call: null,
      principal,
      users: deleted,
    });
  const path = join(folder, 'erasures.ndjson');
  // The users of a large principal are in several lines.
  const lines = [line(1, moved, [gone]), line(2, large, users.slice(0, 1)), line(3, null, users.slice(1))];
  writeFileSync(path, `${lines.join('\n')}\n`);
  expect(await repeatDeletions(service.database, { path, timeline: anyTimeline })).toEqual({
    principals: 1,
    users: 1,
    kept: [moved],
  });
  const left = await service.database.query('select username from anagrafe.users order by id');
  expect(left).toEqual([{ username: 'stayed' }]);
});
