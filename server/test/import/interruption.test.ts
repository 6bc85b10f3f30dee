import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { batchLimits } from '../../src/import/batch.ts';
import { openStore } from '../../src/store.ts';
import { databaseSettings, serve } from '../cli/command.ts';
import { startGateway } from '../client/gateway.ts';
import { atEnd } from '../setup/endings.ts';
import { listen } from '../setup/heard.ts';
import { holding, principalLock } from '../setup/jobs.ts';
import { insertPrincipals, startTestService, type TestService } from '../setup/service.ts';
import { until } from '../setup/until.ts';
import { canSignIn, type Desk, itemsOf, newDesk, rowsOf, storedUsernames } from './importing.ts';

let service: TestService;
let principals: number[];

beforeAll(async () => {
  service = await startTestService();
  principals = await insertPrincipals(service, 3);
});

/** A bcrypt hash, which has no comma. */
const importedHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Rows of the files below that the importer sends at once. */
const batch = 20;
/** A text that makes a row so long that the importer sends no more than this many rows at once. */
const note = 'x'.repeat(Math.ceil(batchLimits.bytes / batch));
const isWrong = (row: number) => row % 10 === 5;

/** Writes several batches. The rows of batch n, counted from 1, belong to principal n; every tenth row is wrong. */
function writeUsers(desk: Desk, name: string, rows: number): void {
  const lines = range(rows).map((n) => {
    const principal = principals[Math.floor(n / batch)];
    return `${isWrong(n) ? 'x' : principal},${name} ${n},${importedHash},${note}`;
  });
  desk.write(`${name}.csv`, `ID,Username,PasswordHash,Note\n${lines.join('\n')}\n`);
}

/** Keeps the service from writing users of this batch while `work` lasts. */
function holdingBatch<Result>(number: number, work: () => Promise<Result>): Promise<Result> {
  return holding(service, principalLock(principals[number - 1] ?? 0), work);
}

/** Waits until the import has noted that these rows are done. */
async function untilDone(desk: Desk, name: string, rows: number, child: ChildProcess): Promise<void> {
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`the import ended with ${child.exitCode}`);
      return rowsDone(desk, name) >= rows;
    },
    () => `${rows} rows to be done; ${rowsDone(desk, name)} are`,
  );
}

function rowsDone(desk: Desk, name: string): number {
  const path = desk.path(`${name}.csv.progress`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).done.rows : 0;
}

async function expectEachOnce(desk: Desk, name: string, rows: number): Promise<void> {
  const own = (await storedUsernames(service)).filter((username) => username.startsWith(`${name} `));
  const sound = range(rows).filter((n) => !isWrong(n));
  expect(own.sort()).toEqual(sound.map((n) => `${name} ${n}`).sort());
  const failed = await itemsOf(desk, `${name}.failed.csv`);
  const wrong = range(rows).filter(isWrong);
  expect(failed.map(({ source }) => (source as string[])[1])).toEqual(wrong.map((n) => `${name} ${n}`));
  expect(rowsOf(desk, `${name}.failed.csv`)[0]?.['Anagrafe faults']).toMatch(/^ID is not a whole number/);
  expect(existsSync(desk.path(`${name}.csv.progress`))).toBe(false);
}

it('an import that is killed goes on where it stopped, and does nothing twice', async () => {
  const desk = newDesk(service);
  const rows = 2 * batch + 10;
  writeUsers(desk, 'killed', rows);

  async function killAfter(done: number): Promise<void> {
    const child = desk.begin(['import', 'killed.csv']);
    await untilDone(desk, 'killed', done, child);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    expect(rowsDone(desk, 'killed')).toBe(done);
  }
  await holdingBatch(3, async () => {
    await holdingBatch(2, () => killAfter(batch));
    await killAfter(2 * batch);
  });
  const { code, stderr } = await desk.run(['import', 'killed.csv']);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/Going on after row 40\.\n(?:.*\n)*.*45 of 50 rows imported/),
  ]);
  await expectEachOnce(desk, 'killed', rows);
});

it('an import that is interrupted says how to go on', async () => {
  const desk = newDesk(service);
  const rows = batch + 10;
  writeUsers(desk, 'stopped', rows);
  await holdingBatch(2, async () => {
    const child = desk.begin(['import', 'stopped.csv']);
    const { stderr, closed } = listen(child);
    await untilDone(desk, 'stopped', batch, child);
    child.kill('SIGINT');
    await closed;
    expect([child.exitCode, stderr()]).toEqual([
      130,
      expect.stringContaining('Run the same command again to go on'),
    ]);
  });
  expect((await desk.run(['import', 'stopped.csv'])).code).toBe(3);
  await expectEachOnce(desk, 'stopped', rows);
});

it('an import outlasts a service that is killed and comes back', async () => {
  const settings = await databaseSettings();
  const first = await serve(settings);
  const desk = newDesk(first);
  const store = await openStore(readConfig(settings), { as: 'visitor', log: () => {} });
  atEnd(store.close);
  const call = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${first.url}/api/sync/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { result: { totalCount: number; records: { Item1: number }[] } }).result;
  };
  const { records } = await call('irs/insert', [{ ExternalKey: 'B', Denomination: 'Away' }]);
  const rows = batch + 5;
  const lines = range(rows).map((n) => `${n < batch ? 'A' : 'B'},Away,away ${n},${importedHash},${note}`);
  desk.write('away.csv', `ExternalKey,Denomination,Username,PasswordHash,Note\n${lines.join('\n')}\n`);
  const child = desk.begin(['import', 'away.csv']);
  const { closed, stderr } = listen(child);
  // The second batch cannot be written before the service has been killed and started again.
  await holding(store, principalLock(records[0]?.Item1 ?? 0), async ({ blocked }) => {
    await untilDone(desk, 'away', batch, child);
    await blocked(1);
    await first.end('SIGKILL');
    await serve({ ...settings, ANAGRAFE_PORT: new URL(first.url).port });
  });
  await closed;
  expect([child.exitCode, stderr()]).toEqual([0, expect.stringContaining('25 of 25 rows imported')]);
  expect((await call('irs/users', {})).totalCount).toBe(rows);
});

it('a file that was changed where it was sent is not gone on with; behind that it may be mended', async () => {
  const desk = newDesk(service);
  const rows = batch + 15;
  writeUsers(desk, 'changed', rows);
  const sound = desk.read('changed.csv');
  // A quote that is never closed, behind a batch that is sent.
  desk.write('changed.csv', sound.replace(`changed ${batch + 10}`, `"changed ${batch + 10}`));
  const broken = await desk.run(['import', 'changed.csv']);
  expect([broken.code, broken.stderr]).toEqual([
    1,
    expect.stringContaining('Every row before that is done.'),
  ]);
  expect(rowsDone(desk, 'changed')).toBe(batch);
  desk.write('changed.csv', sound.replace('changed 10,', 'changed otherwise,'));
  const refused = await desk.run(['import', 'changed.csv']);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('has changed in a part that was sent'),
  ]);
  desk.write('changed.csv', sound);
  expect((await desk.run(['import', 'changed.csv'])).code).toBe(3);
  await expectEachOnce(desk, 'changed', rows);
});

it('an import that is stopped while its first call is on the way finds that call again', async () => {
  const desk = newDesk(service);
  const rows = range(40).map((n) => `${principals[0]},first ${n}`);
  desk.write('first.csv', `ID,Username\n${rows.join('\n')}\n`);
  const gateway = await startGateway(service.url);
  const args = ['import', 'first.csv', '--generate-passwords', 'made-up.csv', '--url', gateway.url];
  // The service takes the job, and the importer is killed before it hears of it.
  gateway.mishaps = ['nothing', 'held answer'];
  const jobs = async () =>
    (await service.call<unknown>('jobs', undefined, { method: 'GET' })).body.result?.totalCount ?? 0;
  const before = await jobs();
  const child = desk.begin(args);
  await expect.poll(jobs).toBeGreaterThan(before);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { code } = await desk.run(args);
  expect(code).toBe(0);
  const passwords = rowsOf(desk, 'made-up.csv');
  expect(passwords).toHaveLength(40);
  expect(await canSignIn(service, 'first 7', passwords[7]?.Password ?? '')).toBe(true);
});

it('two imports of one file do not run at once', async () => {
  const desk = newDesk(service);
  const lines = range(40).map((n) => `${principals[0]},twice ${n},una frase lunga`);
  desk.write('twice.csv', `ID,Username,Password\n${lines.join('\n')}\n`);
  const first = await holding(service, principalLock(principals[0] ?? 0), async ({ blocked }) => {
    const child = desk.begin(['import', 'twice.csv']);
    await blocked(1);
    const { code, stderr } = await desk.run(['import', 'twice.csv']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is being imported already, by process \d+/)]);
    expect((await desk.run(['import', 'twice.csv', '--restart'])).stderr).toContain(
      'is being imported already',
    );
    return child;
  });
  if (first.exitCode === null) await once(first, 'exit');
  expect(first.exitCode).toBe(0);
});

it('an import that came to nothing leaves nothing behind, and can be begun again with other options', async () => {
  const desk = newDesk(service);
  desk.write('wrong.csv', `Login,Hash,ID\nnothing yet,${importedHash},${principals[0]}\n`);
  expect((await desk.run(['import', 'wrong.csv', '--map', 'Hash='])).code).toBe(1);
  expect(existsSync(desk.path('wrong.csv.progress'))).toBe(false);
  const { code, stderr } = await desk.run(['import', 'wrong.csv', '--url', 'http://127.0.0.1:1']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^anagrafe: .* does not answer .*Does the service run/),
  ]);
  expect(existsSync(desk.path('wrong.csv.progress'))).toBe(false);
  expect((await desk.run(['import', 'wrong.csv'])).code).toBe(0);
});
