import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { startGateway } from '@anagrafe/testing/gateway';
import { hangUp } from '@anagrafe/testing/interruption';
import { holding, principalLock } from '@anagrafe/testing/jobs';
import { freePort } from '@anagrafe/testing/postgres-cluster';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { isHere, type Language, languages, type Program, samplesFolder } from './languages.ts';
import { canSignIn, confirmed, type Office, openOffice, passwords, writeRecords } from './office.ts';
import { run, runProgram, startReceiver } from './program.ts';

const here = languages.filter(isHere);
const missing = languages.filter((language) => !here.includes(language));
const unknownId = 999_999;
const allApplied = { code: 0, stdout: '1 of 1 records were applied.\n' };
const [first, second] = passwords;
const user = (Username: string) => ({ Username, Password: first });
const json = (value: unknown) => JSON.stringify(value, null, 2);

let office: Office;
let principal: number;
beforeAll(async () => {
  office = await openOffice();
  principal = office.principal;
});

it('bash, TypeScript and Python are installed on this machine', () => {
  expect(here.map(({ name }) => name)).toEqual(expect.arrayContaining(['bash', 'TypeScript', 'Python']));
});

if (missing.length > 0) {
  it.each(missing)('$name is not installed on this machine, so that its samples are not run', ({ name }) => {
    expect(['PHP', 'C#']).toContain(name);
  });
}

describe.each(here)('the samples in $name', (language: Language) => {
  const name = language.name.toLowerCase().replace('#', 'sharp');
  const runSample = (program: Program, args: readonly (string | number)[], stdin?: string) =>
    runProgram(language, program, args, office.settings, stdin);

  beforeAll(() => {
    const [command, ...args] = language.build ?? [];
    if (command) execFileSync(command, args, { cwd: samplesFolder, stdio: 'pipe' });
  });

  it('register users, and print their IDs', async () => {
    const users = [user(`${name}.one`), { ...user(`${name}.two`), Email: 'two@example.com' }];
    const { code, stdout, stderr } = await runSample('register', [principal], json(users));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const output = new RegExp(`^${name}\\.one has the ID \\d+\n${name}\\.two has the ID \\d+\n$`);
    expect(stdout).toMatch(output);
    expect(await canSignIn(office, `${name}.one`)).toBe(true);
  });

  it('register no user if one is refused, and print the errors', async () => {
    await runSample('register', [principal], json([user(`${name}.taken`)]));
    const users = [user(`${name}.three`), { ...user(`${name}.taken`), Email: 'nowhere' }];
    const { code, stdout, stderr } = await runSample('register', [principal], json(users));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    for (const text of ['Users[1].Email', 'EMAIL_INVALID', 'Users[1].Username', 'USERNAME_TAKEN'])
      expect(stderr).toContain(text);
    expect(await canSignIn(office, `${name}.three`)).toBe(false);
  });

  it('reset passwords', async () => {
    const registered = await runSample('register', [principal], json([user(`${name}.four`)]));
    const ID = Number(/\d+$/.exec(registered.stdout.trim())?.[0]);
    const reset = await runSample('reset', [principal], json([{ ID, Password: second }]));
    expect(reset).toEqual({ code: 0, stdout: 'The passwords were reset.\n', stderr: '' });
    expect(await canSignIn(office, `${name}.four`, second)).toBe(true);
    const refused = await runSample('reset', [principal], json([{ ID: unknownId, Password: first }]));
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('USER_NOT_FOUND');
  });

  it('send many records, and then only the failed ones again', async () => {
    const file = writeRecords(`${name}.many`, principal, unknownId, principal);
    const failing = readFileSync(file, 'utf8').split('\n')[1] ?? '';
    const sent = await runSample('records', [file, `${name}-1`]);
    expect(sent).toMatchObject({ code: 1, stdout: '2 of 3 records were applied.\n' });
    expect(sent.stderr).toMatch(/^line 2:.*PRINCIPAL_NOT_FOUND/m);
    expect(sent.stderr).not.toMatch(/^line [13]/m);
    expect(readFileSync(`${file}.failed`, 'utf8')).toBe(`${failing}\n`);
    // The service returns the stored answer: a new call would fail, because two of its usernames are taken.
    expect(await runSample('records', [file, `${name}-1`])).toEqual(sent);

    writeFileSync(`${file}.failed`, `${failing.replace(String(unknownId), String(principal))}\n`);
    expect(await runSample('records', [`${file}.failed`, `${name}-2`])).toEqual({
      ...allApplied,
      stderr: '',
    });
    expect(await canSignIn(office, `${name}.many.2`)).toBe(true);
  });

  it('run a job, and save its failed records', async () => {
    const file = writeRecords(`${name}.job`, principal, unknownId, principal);
    const { code, stdout, stderr } = await runSample('job', [file, `${name}-job`]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^job [0-9a-f-]{36}: completed, 3 of 3 users\n$/m);
    expect(stderr).toContain(`${file}.retry`);
    const again = await runSample('job', [file, `${name}-job`]);
    expect(again.stdout).toBe(`${stdout.trim().split('\n').at(-1)}\n`);

    const failed = JSON.parse(readFileSync(`${file}.retry`, 'utf8'));
    expect(failed).toMatchObject([{ ID: unknownId, Position: 1, Users: [{ Password: null }] }]);
    const corrected = [{ ...failed[0], ID: principal, Users: [confirmed(`${name}.job.2`)] }];
    const { status } = await office.service.call('irs/update', corrected, { headers: office.headers });
    expect(status).toBe(200);
  });

  it('retry the same call after Retry-After and after a connection reset', async () => {
    const gateway = await startGateway(office.service.url);
    gateway.networkFaults = [
      { status: 503, headers: { 'retry-after': '1' }, body: '<h1>Busy</h1>' },
      'lost answer',
    ];
    const args = [writeRecords(`${name}.late`, principal), `${name}-late`];
    const settings = { ...office.settings, ANAGRAFE_URL: gateway.url };
    expect(await runProgram(language, 'records', args, settings)).toMatchObject(allApplied);
    const [busy, lost, answered] = gateway.seen;
    expect(gateway.seen).toHaveLength(3);
    for (const attempt of [busy, lost, answered]) {
      expect(attempt?.headers['idempotency-key']).toBe(`${name}-late`);
      expect(attempt?.body).toBe(busy?.body);
    }
    // A timer may fire a few milliseconds early.
    expect((lost?.at ?? 0) - (busy?.at ?? 0)).toBeGreaterThan(990);
  });

  it('retry a call with a record whose outcome is unknown', async () => {
    const gateway = await startGateway(office.service.url);
    const args = [writeRecords(`${name}.carried`, principal), `${name}-carried`];
    const settings = { ...office.settings, ANAGRAFE_URL: gateway.url };
    let running: ReturnType<typeof runProgram> | undefined;
    await holding(office.service, principalLock(principal), async ({ connection, blocked }) => {
      running = runProgram(language, 'records', args, settings);
      await blocked(1);
      await hangUp(connection);
    });
    expect(await running).toMatchObject(allApplied);
    expect(gateway.seen).toHaveLength(2);
    expect(await canSignIn(office, `${name}.carried.1`)).toBe(true);
  });

  it('exit with code 2 if a call was refused as a whole', async () => {
    const users = json([user(`${name}.unknown`)]);
    const unset = await runProgram(language, 'register', [principal], {}, users);
    expect(unset).toMatchObject({ code: 2, stdout: '' });
    expect(unset.stderr).toContain('ANAGRAFE_KEY');
    const wrongKey = { ...office.settings, ANAGRAFE_KEY: 'agp_nobody.ags_nothing' };
    const refused = await runProgram(language, 'register', [principal], wrongKey, users);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/^Request failed: .*credential/);
    const [used, other] = ['used', 'reused'].map((key) => writeRecords(`${name}.${key}`, principal));
    await runSample('records', [used ?? '', `${name}-used`]);
    const reused = await runSample('records', [other ?? '', `${name}-used`]);
    expect(reused).toMatchObject({ code: 2, stdout: '' });
  });

  it('accept only webhook messages with a valid signature and a recent timestamp', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const subscribed = await run(['bash', 'bash/subscribe.sh', url], office.settings);
    expect(subscribed).toMatchObject({ code: 0, stderr: '' });
    const secret = subscribed.stdout.trim();
    const output = await startReceiver(language, port, secret);
    const post = async (subject: string, { at = Date.now(), by = secret, as = subject } = {}) => {
      const body = (about: string) => JSON.stringify({ type: 'test', data: { about } });
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': `v1,AAAA ${new Webhook(by).sign('msg_1', new Date(at), body(as))}`,
      };
      return (await fetch(url, { method: 'POST', headers, body: body(subject) })).status;
    };
    expect(await post('è genuino')).toBe(204);
    expect(await post('changed', { as: 'signed' })).toBe(401);
    expect(await post('foreign', { by: 'whsec_c29tZWJvZHkgZWxzZQ==' })).toBe(401);
    expect(await post('outdated', { at: Date.now() - 400_000 })).toBe(401);
    expect(await post('premature', { at: Date.now() + 400_000 })).toBe(401);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);

    // Once the receiver prints this last message, it has printed all earlier ones.
    await runSample('register', [principal], json([user(`${name}.delivered`)]));
    await expect.poll(output).toMatch(new RegExp(`user\\.registered.*${name}\\.delivered`));
    expect(output()).toMatch(/msg_1 .*test.* genuino/);
    expect(output()).not.toMatch(/changed|foreign|outdated|premature/);
  });
});
