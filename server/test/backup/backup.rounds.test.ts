import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, inProcess, usedFolder } from '@anagrafe/testing/command';
import { dataParent } from '@anagrafe/testing/data-parent';
import { atEnd } from '@anagrafe/testing/endings';
import { importedUser } from '@anagrafe/testing/jobs';
import { progressOf, roundsOf } from '@anagrafe/testing/rounds';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { archived } from './archived.ts';

const writers = 4;

/** The users that were confirmed before a moment, and those that had been sent by then. */
interface Moment {
  readonly confirmed: number;
  readonly sent: number;
}

/** The hash of each row of the audit log, by its position. */
const chainOf = async ({ database }: TestService) =>
  new Map(
    (
      await database.query<{ position: number; hash: string }>(
        `select position, encode(hash, 'hex') as hash from anagrafe.audit_log where position is not null`,
      )
    ).map(({ position, hash }) => [position, hash]),
  );

const hashesIn = async ({ database }: TestService) =>
  new Map(
    (
      await database.query<{ username: string; hash: string }>(
        'select username, password_hash as hash from anagrafe.users',
      )
    ).map(({ username, hash }) => [username, hash]),
  );

it('backups under load and restores to a time have what was confirmed before, and nothing that was sent after', async () => {
  const backups = roundsOf(20);
  const moments = Math.ceil(backups / 4);
  const folder = mkdtempSync(join(dataParent(), 'anagrafe-backups-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const data = await usedFolder();
  const service = await startTestService(
    { ANAGRAFE_DATA: data, ANAGRAFE_BACKUP_FOLDER: folder },
    { embedded: true },
  );
  await until(() => service.log.some((line) => line.includes('took a backup')));
  const principals = await insertPrincipals(service, writers);
  const confirmed: string[] = [];
  let sent = 0;
  let isOver = false;
  const now = (): Moment => ({ confirmed: confirmed.length, sent });
  const writing = principals.map(async (ID, writer) => {
    for (let n = 0; !isOver; n++) {
      sent++;
      const name = `user.${writer}.${n}`;
      const { body } = await service.call('irs/update', [{ ID, Users: [importedUser(name)] }]);
      expect(body.result?.records[0]?.Item3).toBe(true);
      confirmed.push(name);
    }
  });
  const taken: { folder: string; before: Moment; after: Moment }[] = [];
  const times: { at: Date; before: Moment; after: Moment }[] = [];
  for (let n = 0; n < backups; n++) {
    const before = now();
    const { stdout, stderr } = await inProcess(
      ['backup', folder, '--json', ...(n % 2 ? ['--encrypt'] : [])],
      {
        ANAGRAFE_DATA: data,
      },
    );
    expect(stderr).toBe('');
    taken.push({ folder: JSON.parse(stdout).folder, before, after: now() });
    if (times.length < moments) {
      const early = now();
      // A commit that is confirmed before this moment has an earlier time.
      const at = await new Promise<Date>((resolve) => setTimeout(() => resolve(new Date()), 20));
      times.push({ at, before: early, after: now() });
    }
  }
  isOver = true;
  await Promise.all(writing);
  const [hashes, chain] = [await hashesIn(service), await chainOf(service)];
  await archived(service);
  await service.stop();

  async function check(args: readonly string[], before: Moment, after: Moment): Promise<void> {
    const restored = dataFolder();
    copyFileSync(join(data, 'master.key'), join(restored, 'master.key'));
    const outcome = await inProcess(['restore', ...args, '--json'], { ANAGRAFE_DATA: restored });
    expect(outcome, args.join(' ')).toMatchObject({ code: 0, stderr: '' });
    const { users, audit } = JSON.parse(outcome.stdout);
    expect(audit.sound).toBe(true);
    // The audit log is the beginning of the one that the service had at the end.
    expect(chain.get(audit.last.position)).toBe(Buffer.from(audit.last.hash).toString('hex'));
    process.stderr.write(
      `${users} users of ${before.confirmed} to ${after.sent}, ${audit.rows} audit rows: ${args[0]}\n`,
    );
    const again = await startTestService({ ANAGRAFE_DATA: restored }, { embedded: true });
    const found = await hashesIn(again);
    expect(found.size).toBe(users);
    await again.stop();
    expect([...found.keys()]).toEqual(expect.arrayContaining(confirmed.slice(0, before.confirmed)));
    expect(found.size).toBeLessThanOrEqual(after.sent);
    for (const [name, hash] of found) expect(hash, name).toBe(hashes.get(name));
    rmSync(restored, { recursive: true, force: true });
  }
  const report = progressOf('backup', backups);
  for (const [at, backup] of taken.entries()) {
    await check([backup.folder], backup.before, backup.after);
    report(at + 1);
  }
  for (const { at, before, after } of times)
    await check([folder, '--to-time', at.toISOString()], before, after);
});
