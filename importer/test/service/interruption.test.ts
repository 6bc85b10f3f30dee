import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { startGateway } from '@anagrafe/testing/gateway';
import { listen } from '@anagrafe/testing/heard';
import {
  canSignIn,
  contextOf,
  importRowsOf,
  newWorkFolder,
  rowsOf,
  storedUsernames,
  taskOf,
  type WorkFolder,
} from '@anagrafe/testing/importing';
import { finished, holding, principalLock, principalsLock } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeAll, expect, it } from 'vitest';
import { batchLimits } from '../../src/index.ts';
import { runImport } from '../../src/node/index.ts';

let service: TestService;
let principals: number[];

beforeAll(async () => {
  service = await startTestService();
  principals = await insertPrincipals(service, 3);
});

/** A bcrypt hash: unlike argon2id, it has no comma, so it needs no quotes in CSV. */
const importedHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Number of rows that the importer sends in one call. */
const batch = 20;
/** A text that makes each row so long that `batch` rows reach the size limit of a call. */
const note = 'x'.repeat(Math.ceil(batchLimits.characters / batch));
const isWrong = (row: number) => row % 10 === 5;

/** Writes a file of several batches. The rows of each batch belong to one principal; every tenth row is invalid. */
function writeUsers(folder: WorkFolder, name: string, rows: number): void {
  const lines = range(rows).map((n) => {
    const principal = principals[Math.floor(n / batch)];
    return `${isWrong(n) ? 'x' : principal},${name} ${n},${importedHash},${note}`;
  });
  folder.write(`${name}.csv`, `ID,Username,PasswordHash,Note\n${lines.join('\n')}\n`);
}

/** Blocks the writes of a batch, counted from 1, until `work` has settled. */
function holdingBatch<Result>(number: number, work: () => Promise<Result>): Promise<Result> {
  return holding(service, principalLock(principals[number - 1] ?? 0), work);
}

/** Waits until the progress file of the import records at least `rows` rows as done. */
async function untilDone(folder: WorkFolder, name: string, rows: number, child: ChildProcess): Promise<void> {
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`the import ended with ${child.exitCode}`);
      return rowsDone(folder, name) >= rows;
    },
    () => `${rows} rows to be done; ${rowsDone(folder, name)} are`,
  );
}

function rowsDone(folder: WorkFolder, name: string): number {
  return progressOf(folder, name)?.done.rows ?? 0;
}

interface Progress {
  readonly done: { readonly rows: number };
  readonly jobs: Readonly<Record<string, string>>;
}

function progressOf(folder: WorkFolder, name: string): Progress | null {
  const path = folder.path(`${name}.csv.progress`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

async function expectEachOnce(folder: WorkFolder, name: string, rows: number): Promise<void> {
  const own = (await storedUsernames(service)).filter((username) => username.startsWith(`${name} `));
  const valid = range(rows).filter((n) => !isWrong(n));
  expect(own.sort()).toEqual(valid.map((n) => `${name} ${n}`).sort());
  const failed = await importRowsOf(folder, `${name}.failed.csv`);
  const wrong = range(rows).filter(isWrong);
  expect(failed.map(({ source }) => (source as string[])[1])).toEqual(wrong.map((n) => `${name} ${n}`));
  expect(rowsOf(folder, `${name}.failed.csv`)[0]?.['Anagrafe errors']).toMatch(/^ID must be a whole number/);
  expect(existsSync(folder.path(`${name}.csv.progress`))).toBe(false);
}

it('an import that is killed resumes where it stopped, and applies no row twice', async () => {
  const folder = newWorkFolder(service);
  const rows = 2 * batch + 10;
  writeUsers(folder, 'killed', rows);

  async function killAfter(done: number): Promise<void> {
    const child = folder.begin(['import', 'killed.csv']);
    await untilDone(folder, 'killed', done, child);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    expect(rowsDone(folder, 'killed')).toBe(done);
  }
  await holdingBatch(3, async () => {
    await holdingBatch(2, () => killAfter(batch));
    await killAfter(2 * batch);
  });
  const { code, stderr } = await folder.run(['import', 'killed.csv']);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(
      /Resuming after row 40\.\n(?:.*\n)*.*45 of 50 rows applied\.\n(?:.*\n){2} {2}lines 7, 17, 27, 37, 47: ID must be/,
    ),
  ]);
  await expectEachOnce(folder, 'killed', rows);
});

it('an import runs with a lower priority and, interrupted, prints how many rows were applied, how to resume it and how to cancel its jobs', async () => {
  const folder = newWorkFolder(service);
  const rows = batch + 10;
  writeUsers(folder, 'stopped', rows);
  await holdingBatch(2, async () => {
    const child = folder.begin(['import', 'stopped.csv']);
    const { stderr, closed } = listen(child);
    await untilDone(folder, 'stopped', batch, child);
    const jobs = () => Object.values(progressOf(folder, 'stopped')?.jobs ?? {});
    await until(
      () => jobs().length > 0,
      () => 'the job of the second batch to be saved',
    );
    const [job] = jobs();
    const { PRIORITY_BELOW_NORMAL } = constants.priority;
    expect(getPriority(child.pid)).toBe(Math.max(getPriority(), PRIORITY_BELOW_NORMAL));
    child.kill('SIGINT');
    await closed;
    expect([child.exitCode, stderr()]).toEqual([
      130,
      expect.stringContaining(
        'Interrupted.\nCompleted batches: 18 rows applied, 2 failed. The service may have applied further rows.\n',
      ),
    ]);
    expect(stderr()).toContain(
      'Run the same command again to resume after row 20; no row is applied twice.\n',
    );
    expect(stderr()).toContain(`rows that were already sent, in job ${job}. To cancel:\n`);
    expect(stderr()).toMatch(new RegExp(`^ {2}.*anagrafe job cancel ${job}$`, 'm'));
  });
  expect((await folder.run(['import', 'stopped.csv'])).code).toBe(3);
  await expectEachOnce(folder, 'stopped', rows);
});

it('a dry run that is interrupted says so, and names no way to resume it', async () => {
  const folder = newWorkFolder(service);
  writeUsers(folder, 'dry', batch);
  const gateway = await startGateway(service.url);
  gateway.networkFaults = ['nothing', 'held answer'];
  const child = folder.begin(['import', 'dry.csv', '--dry-run', '--url', gateway.url]);
  const { stderr, closed } = listen(child);
  await until(
    () => gateway.seen.some(({ path }) => path?.includes('dryRun=true')),
    () => `the call of the dry run; the requests are ${gateway.seen.map(({ path }) => path).join(', ')}`,
  );
  child.kill('SIGINT');
  await closed;
  expect([child.exitCode, stderr()]).toEqual([130, expect.stringMatching(/^Interrupted\.\n$/m)]);
  expect(stderr()).not.toContain('resume');
});

it('an import that is interrupted does not name the jobs that have ended already', async () => {
  const folder = newWorkFolder(service);
  writeUsers(folder, 'ended', 2 * batch);
  // The import waits for the first batch, while the second one is applied.
  await holdingBatch(1, async () => {
    const child = folder.begin(['import', 'ended.csv']);
    const { stderr, closed } = listen(child);
    const jobs = () => Object.entries(progressOf(folder, 'ended')?.jobs ?? {});
    await until(
      () => jobs().length === 2,
      () => 'the jobs of both batches to be saved',
    );
    const [first, second] = jobs()
      .sort(([one], [other]) => Number(one.split('-')[1]) - Number(other.split('-')[1]))
      .map(([, id]) => id);
    await finished(service, second ?? '');
    child.kill('SIGINT');
    await closed;
    expect(stderr()).toContain(`rows that were already sent, in job ${first}. To cancel:\n`);
    expect(stderr()).not.toContain(second);
  });
  expect((await folder.run(['import', 'ended.csv'])).code).toBe(3);
  await expectEachOnce(folder, 'ended', 2 * batch);
});

it('an import resumes a file that was corrected after the rows that were sent, and rejects one that was changed before', async () => {
  const folder = newWorkFolder(service);
  const rows = batch + 15;
  writeUsers(folder, 'changed', rows);
  const valid = folder.read('changed.csv');
  // A quote that is never closed, after the first batch.
  folder.write('changed.csv', valid.replace(`changed ${batch + 10}`, `"changed ${batch + 10}`));
  const broken = await folder.run(['import', 'changed.csv']);
  expect([broken.code, broken.stderr]).toEqual([
    1,
    expect.stringContaining('All rows before this point were processed.'),
  ]);
  expect(rowsDone(folder, 'changed')).toBe(batch);
  folder.write('changed.csv', valid.replace('changed 10,', 'changed otherwise,'));
  const refused = await folder.run(['import', 'changed.csv']);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('rows of the file that were already sent have changed'),
  ]);
  folder.write('changed.csv', valid);
  expect((await folder.run(['import', 'changed.csv'])).code).toBe(3);
  await expectEachOnce(folder, 'changed', rows);
});

it('an import that is killed before its first call is answered resumes that call', async () => {
  const folder = newWorkFolder(service);
  const rows = range(40).map((n) => `${principals[0]},first ${n}`);
  folder.write('first.csv', `ID,Username\n${rows.join('\n')}\n`);
  const gateway = await startGateway(service.url);
  const args = ['import', 'first.csv', '--generate-passwords', 'made-up.csv', '--url', gateway.url];
  // The service accepts the job, and the gateway holds the answer until the importer is killed.
  gateway.networkFaults = ['nothing', 'held answer'];
  const jobs = async () =>
    (await service.call<unknown>('jobs', undefined, { method: 'GET' })).body.result?.totalCount ?? 0;
  const before = await jobs();
  const child = folder.begin(args);
  await expect.poll(jobs).toBeGreaterThan(before);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { code } = await folder.run(args);
  expect(code).toBe(0);
  const passwords = rowsOf(folder, 'made-up.csv');
  expect(passwords).toHaveLength(40);
  expect(await canSignIn(service, 'first 7', passwords[7]?.Password ?? '')).toBe(true);
});

it('a second import of a file that is being imported fails', async () => {
  const folder = newWorkFolder(service);
  const lines = range(40).map((n) => `${principals[0]},twice ${n},una frase lunga`);
  folder.write('twice.csv', `ID,Username,Password\n${lines.join('\n')}\n`);
  const task = taskOf(folder, 'twice', service.url);
  const { first } = await holding(service, principalLock(principals[0] ?? 0), async ({ blocked }) => {
    const first = runImport(task, contextOf(service.url), { restart: false });
    await blocked(1);
    const { code, stderr } = await folder.run(['import', 'twice.csv']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is already being imported by process \d+/)]);
    expect((await folder.run(['import', 'twice.csv', '--restart'])).stderr).toContain(
      'is already being imported',
    );
    return { first };
  });
  expect(await first).toMatchObject({ rows: 40, failed: 0 });
});

it('an import that fails before its first call leaves no progress file, and can be repeated with other options', async () => {
  const folder = newWorkFolder(service);
  folder.write('wrong.csv', `Login,Hash,ID\nnothing yet,${importedHash},${principals[0]}\n`);
  expect((await folder.run(['import', 'wrong.csv', '--map', 'Hash='])).code).toBe(1);
  expect(existsSync(folder.path('wrong.csv.progress'))).toBe(false);
  const { code, stderr } = await folder.run(['import', 'wrong.csv', '--url', 'http://127.0.0.1:1']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^anagrafe: Cannot reach the service at .*Check that it is running/),
  ]);
  expect(existsSync(folder.path('wrong.csv.progress'))).toBe(false);
  expect((await folder.run(['import', 'wrong.csv'])).code).toBe(0);
});

it('an import that is killed between two rounds resumes the rows that were refused because of others', async () => {
  const folder = newWorkFolder(service);
  const header = 'ExternalKey,Denomination,Username,Email,PasswordHash';
  const lines = range(30).map((n) => `R,Rounds,rounds ${n},${n === 7 ? 'no address' : ''},${importedHash}`);
  folder.write('rounds.csv', `${header}\n${lines.join('\n')}\n`);
  const gateway = await startGateway(service.url);
  const args = ['import', 'rounds.csv', '--url', gateway.url];
  const jobs = async () =>
    (await service.call<unknown>('jobs', undefined, { method: 'GET' })).body.result?.totalCount ?? 0;
  const before = await jobs();
  const child = folder.begin(args);
  // The first job refuses the record because of one row; the second one has the other rows.
  await expect.poll(jobs).toBeGreaterThanOrEqual(before + 1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { code, stderr } = await folder.run(args);
  expect([code, stderr]).toEqual([3, expect.stringContaining('29 of 30 rows applied')]);
  const own = (await storedUsernames(service)).filter((username) => username.startsWith('rounds '));
  expect(own).toHaveLength(29);
  expect(rowsOf(folder, 'rounds.failed.csv').map(({ Username }) => Username)).toEqual(['rounds 7']);
});

it('an import whose jobs are cancelled stops, and sends the rows that were not applied again in the next run', async () => {
  const folder = newWorkFolder(service);
  const rows = range(300).map((n) => {
    const [ID, ExternalKey, Denomination] = [
      [principals[0], '', ''],
      ['', `cancelled ${n % 7}`, 'Cancelled'],
      ['', '', `Cancelled alone ${n}`],
    ][n % 3] as [string, string, string];
    return `${ID},${ExternalKey},${Denomination},cancelled ${n},${importedHash}`;
  });
  folder.write('cancelled.csv', `ID,ExternalKey,Denomination,Username,PasswordHash\n${rows.join('\n')}\n`);
  const ids = () => Object.values(progressOf(folder, 'cancelled')?.jobs ?? {});
  const { running } = await holding(service, principalsLock, async ({ blocked }) => {
    const running = folder.run(['import', 'cancelled.csv']);
    // Two jobs run; the third one waits and is cancelled as a whole.
    await until(
      () => ids().length === 3,
      () => 'the three jobs of the batch',
    );
    await blocked(1);
    for (const id of ids()) await service.call(`jobs/${id}`, undefined, { method: 'DELETE' });
    return { running };
  });
  const { code, stderr } = await running;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /anagrafe: Job \S+ was cancelled\. [\d,]+ rows? (was|were) not applied for this reason\.\n/,
    ),
  ]);
  expect(stderr).toContain('Run the same command again to resume; no row is applied twice.');
  const again = await folder.run(['import', 'cancelled.csv']);
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('300 of 300 rows applied')]);
  const own = (await storedUsernames(service)).filter((username) => username.startsWith('cancelled '));
  expect(own.sort()).toEqual(
    range(300)
      .map((n) => `cancelled ${n}`)
      .sort(),
  );
});

it('an import with --update that is killed refuses rows that contradict rows of the run before, by ID and by ExternalKey', async () => {
  const folder = newWorkFolder(service);
  const { body } = await service.call('irs/insert', [
    { ExternalKey: 'K-1', Denomination: 'Before' },
    { ExternalKey: 'K-2', Denomination: 'Before' },
    { ExternalKey: 'K-3', Denomination: 'Before' },
  ]);
  const [first = 0, second = 0, held = 0] = (body.result?.records ?? []).map(({ Item1 }) => Item1 ?? 0);
  // The rows of the second batch are those of the principal K-3, whose lock blocks them.
  const others = (name: string) =>
    range(batch - 2).map((n) => `,${name},Others,both ${name} ${n},${importedHash},${note}`);
  const rows = [
    `,K-1,One,both anna,${importedHash},${note}`,
    `${second},,Two,both carlo,${importedHash},${note}`,
    ...others('K-4'),
    ...others('K-3'),
    `${first},,Another,both dario,${importedHash},${note}`,
    `,K-2,Another,both elena,${importedHash},${note}`,
  ];
  folder.write('both.csv', `ID,ExternalKey,Denomination,Username,PasswordHash,Note\n${rows.join('\n')}\n`);
  await holding(service, principalLock(held), async () => {
    const child = folder.begin(['import', 'both.csv', '--update']);
    await untilDone(folder, 'both', batch, child);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const { code, stderr } = await folder.run(['import', 'both.csv', '--update']);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/Resuming after row 20\.\n(?:.*\n)*.*38 of 40 rows applied/),
  ]);
  expect(rowsOf(folder, 'both.failed.csv').map((row) => [row.Username, row['Anagrafe errors']])).toEqual([
    ['both dario', 'Denomination: "Another" contradicts line 2, which has "One" for the same principal.'],
    ['both elena', 'Denomination: "Another" contradicts line 3, which has "Two" for the same principal.'],
  ]);
});
