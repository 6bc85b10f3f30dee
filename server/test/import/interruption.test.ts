import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { serve, usedFolder } from '../cli/command.ts';
import { startGateway } from '../client/gateway.ts';
import { insertPrincipals, startTestService, type TestService } from '../setup/service.ts';
import { canSignIn, type Desk, itemsOf, newDesk, rowsOf, storedUsernames } from './importing.ts';

let service: TestService;
let principals: number[];

beforeAll(async () => {
  service = await startTestService();
  principals = await insertPrincipals(service, 20);
});

/** Of bcrypt, and without a comma. */
const importedHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Several batches, whose users cost no time to hash; every hundredth row is wrong. */
function writeUsers(desk: Desk, name: string, rows: number): void {
  const lines = range(rows).map(
    (n) => `${n % 100 === 50 ? 'x' : principals[n % 20]},${name} ${n},${importedHash}`,
  );
  desk.write(`${name}.csv`, `ID,Username,PasswordHash\n${lines.join('\n')}\n`);
}

function rowsDone(desk: Desk, name: string): number {
  const path = desk.path(`${name}.csv.progress`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).done.rows : 0;
}

async function expectEachOnce(desk: Desk, name: string, rows: number): Promise<void> {
  const own = (await storedUsernames(service)).filter((username) => username.startsWith(`${name} `));
  const sound = range(rows).filter((n) => n % 100 !== 50);
  expect(own.sort()).toEqual(sound.map((n) => `${name} ${n}`).sort());
  const failed = await itemsOf(desk, `${name}.failed.csv`);
  const wrong = range(rows).filter((n) => n % 100 === 50);
  expect(failed.map(({ source }) => (source as string[])[1])).toEqual(wrong.map((n) => `${name} ${n}`));
  expect(rowsOf(desk, `${name}.failed.csv`)[0]?.['Anagrafe faults']).toMatch(/^ID is not a whole number/);
  expect(existsSync(desk.path(`${name}.csv.progress`))).toBe(false);
}

it('an import that is killed goes on where it stopped, and does nothing twice', async () => {
  const desk = newDesk(service);
  const rows = 5000;
  writeUsers(desk, 'killed', rows);
  for (const least of [1, 2500]) {
    const child = desk.begin(['import', 'killed.csv']);
    while (rowsDone(desk, 'killed') < least && child.exitCode === null) await sleep(5);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    // What someone wrote who was killed before it was certain is forgotten.
    expect(rowsDone(desk, 'killed')).toBeLessThan(rows);
  }
  const { code, stderr } = await desk.run(['import', 'killed.csv']);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/Going on after row [\d,]+\.\n(?:.*\n)*.*4,950 of 5,000 rows imported/),
  ]);
  await expectEachOnce(desk, 'killed', rows);
});

it('an import that is interrupted says how to go on', async () => {
  const desk = newDesk(service);
  writeUsers(desk, 'stopped', 4200);
  const child = desk.begin(['import', 'stopped.csv']);
  let said = '';
  child.stderr?.on('data', (text) => {
    said += text;
  });
  while (rowsDone(desk, 'stopped') < 1 && child.exitCode === null) await sleep(5);
  child.kill('SIGINT');
  await once(child, 'close');
  expect([child.exitCode, said]).toEqual([
    130,
    expect.stringContaining('Run the same command again to go on'),
  ]);
  expect((await desk.run(['import', 'stopped.csv'])).code).toBe(3);
  await expectEachOnce(desk, 'stopped', 4200);
});

it('an import outlasts a service that is killed and comes back', async () => {
  const settings = { ANAGRAFE_DATA: await usedFolder() };
  const first = await serve(settings);
  const desk = newDesk(first);
  const lines = range(4200).map((n) => `Away,away ${n},${importedHash}`);
  desk.write(
    'away.csv',
    `ExternalKey,Denomination,Username,PasswordHash\n${lines.map((line) => `A,${line}`).join('\n')}\n`,
  );
  const child = desk.begin(['import', 'away.csv']);
  while (rowsDone(desk, 'away') < 1 && child.exitCode === null) await sleep(5);
  await first.end('SIGKILL');
  const second = await serve({ ...settings, ANAGRAFE_PORT: new URL(first.url).port });
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
  const answer = await fetch(`${second.url}/api/sync/v1/irs/users`, { method: 'POST' });
  expect(((await answer.json()) as { result: { totalCount: number } }).result.totalCount).toBe(4200);
});

it('a file that was changed where it was sent is not gone on with; behind that it may be mended', async () => {
  const desk = newDesk(service);
  writeUsers(desk, 'changed', 5000);
  const sound = desk.read('changed.csv');
  // A quote that is never closed, behind a batch that is sent.
  desk.write('changed.csv', sound.replace('changed 4500', '"changed 4500'));
  const broken = await desk.run(['import', 'changed.csv']);
  expect([broken.code, broken.stderr]).toEqual([
    1,
    expect.stringContaining('Every row before that is done.'),
  ]);
  const done = rowsDone(desk, 'changed');
  expect(done).toBe(4000);
  desk.write('changed.csv', sound.replace('changed 100,', 'changed otherwise,'));
  const refused = await desk.run(['import', 'changed.csv']);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('has changed in a part that was sent'),
  ]);
  desk.write('changed.csv', sound);
  expect((await desk.run(['import', 'changed.csv'])).code).toBe(3);
  await expectEachOnce(desk, 'changed', 5000);
});

it('an import that is stopped while its first call is on the way finds that call again', async () => {
  const desk = newDesk(service);
  const rows = range(40).map((n) => `${principals[0]},first ${n}`);
  desk.write('first.csv', `ID,Username\n${rows.join('\n')}\n`);
  const gateway = await startGateway(service.url);
  const args = ['import', 'first.csv', '--generate-passwords', 'made-up.csv', '--url', gateway.url];
  // The service takes the job, and the importer is killed before it hears of it.
  gateway.mishaps = ['nothing', 'held answer'];
  const child = desk.begin(args);
  const jobs = () => service.call<unknown>('jobs', undefined, { method: 'GET' });
  const before = (await jobs()).body.result?.totalCount;
  while ((await jobs()).body.result?.totalCount === before) await sleep(20);
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
  const lines = range(400).map((n) => `${principals[0]},twice ${n},una frase lunga`);
  desk.write('twice.csv', `ID,Username,Password\n${lines.join('\n')}\n`);
  const child = desk.begin(['import', 'twice.csv']);
  while (!existsSync(desk.path('twice.csv.progress'))) await sleep(5);
  const { code, stderr } = await desk.run(['import', 'twice.csv']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/is being imported already, by process \d+/)]);
  expect((await desk.run(['import', 'twice.csv', '--restart'])).stderr).toContain(
    'is being imported already',
  );
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
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
