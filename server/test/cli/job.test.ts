import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anagrafe, expectOneLine, inProcess, onTerminal, start } from '@anagrafe/testing/command';
import { finished, holding, importedUser, principalLock, submit } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'anagrafe-cli-job-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let service: TestService;
const settings = { ANAGRAFE_URL: '' };
const run = (...args: string[]) => inProcess(['job', ...args], settings);

beforeAll(async () => {
  service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
  await insertPrincipals(service, 3);
});

let names = 0;
const register = (ID: number) => ({ ID, Users: [importedUser(`user${++names}`)] });

describe('the job command', () => {
  it('watches a job to its end, and exits with 0 if every record was applied', async () => {
    const id = await submit(service, 'irs/update', [register(1), register(2)]);
    const { code, stdout, stderr } = await anagrafe(['job', 'watch', id], settings);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^(queued|running|completed) {2}\d of 2 users/);
    expect(stderr).toContain(`Job ${id} is completed: 2 of 2 records applied.\n`);
  });

  it('exits with 3 if records failed, and names the command that prints them', async () => {
    const id = await submit(service, 'irs/update', [register(1), register(99)]);
    const { code, stderr } = await run('watch', id);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(
        `1 of 2 records applied. To get the others, run: npx --no -- anagrafe job failed ${id}`,
      ),
    ]);
    const json = await run('watch', id, '--json');
    expect([json.code, JSON.parse(json.stdout)]).toEqual([
      3,
      expect.objectContaining({ ID: id, RecordsFailed: 1 }),
    ]);
  });

  it('overwrites one line on a terminal', async () => {
    const id = await submit(service, 'irs/update', [register(1), register(2)]);
    const { screen, code } = await onTerminal(['job', 'watch', id], settings, 100);
    expect(code).toBe(0);
    expect(screen.split('\r\u001b[K')[1]).toMatch(
      /^(queued|running|completed) {2}\S*[█░]+\S* {2}\d of 2 users/,
    );
    expect(screen.trimEnd().split('\n')).toHaveLength(1);
    expect(screen.trimEnd().split('\r\u001b[K').at(-1)).toBe(
      `Job ${id} is completed: 2 of 2 records applied.`,
    );
  });

  it('stops watching at Ctrl-C, and the job continues', async () => {
    const id = await holding(service, principalLock(1), async ({ blocked }) => {
      const held = await submit(service, 'irs/update', [register(1)]);
      await blocked(1);
      const child = start(['job', 'watch', held], settings);
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        if (said === '') child.kill('SIGINT');
        said += text;
      });
      await once(child, 'close');
      expect(child.exitCode).toBe(130);
      expect(said).toContain(
        `The job continues. To watch it again, run: npx --no -- anagrafe job watch ${held}`,
      );
      return held;
    });
    expect((await finished(service, id)).body.result?.records).toMatchObject([{ Item3: true }]);
  });

  it('cancels the pending records of a job, and watch shows that', async () => {
    const id = await holding(service, principalLock(1), async ({ blocked }) => {
      const held = await submit(
        service,
        'irs/update',
        Array.from({ length: 2000 }, () => register(1)),
      );
      await blocked(1);
      const { code, stdout, stderr } = await run('cancel', held);
      expect([code, stdout, stderr]).toEqual([0, '', expect.stringContaining(`Job ${held} is cancelled`)]);
      return held;
    });
    const watched = await run('watch', id);
    expect([watched.code, watched.stderr]).toEqual([3, expect.stringContaining(`Job ${id} is cancelled: `)]);
    const again = await run('cancel', id, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ ID: id, State: 'cancelled' });
  });

  it('prints the failed records, or writes them to a file that only its owner can read', async () => {
    const id = await submit(service, 'irs/update', [register(1), register(99)]);
    await finished(service, id);
    const { code, stdout, stderr } = await run('failed', id);
    expect([code, stderr]).toEqual([0, '']);
    const failed = JSON.parse(stdout);
    expect(failed).toMatchObject([
      { ID: 99, Position: 1, FieldErrors: { ID: [{ code: 'PRINCIPAL_NOT_FOUND' }] } },
    ]);

    const out = join(folder, 'failed.json');
    writeFileSync(out, 'what was there, for everyone to read', { mode: 0o644 });
    const written = await run('failed', id, '--out', out);
    expect([written.code, written.stdout, written.stderr]).toEqual([0, '', `Wrote 1 record to ${out}.\n`]);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(failed);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const json = await run('failed', id, '--json', '--out', out);
    expect(JSON.parse(json.stdout)).toEqual({ file: out, records: 1 });
    const nowhere = join(folder, 'missing', 'failed.json');
    expectOneLine(await run('failed', id, '--out', nowhere), /^anagrafe: Cannot write .*--out/);
    expect(existsSync(nowhere)).toBe(false);
  });

  it('lists jobs newest first', async () => {
    await finished(service, await submit(service, 'irs/update', [register(1)]));
    const id = await submit(service, 'irs/update', [register(1), register(99)]);
    await finished(service, id);
    const { code, stdout, stderr } = await run('list', '--limit', '1');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^${id}\tcompleted\t2/2\t1\t2/2\t[\\d.]+\t\\d{4}-[\\dT:.-]+Z\tupdate\n$`),
    );
    expect(stderr).toMatch(/^Showing 1 of \d+\. Use --all to show all\.\n$/);
    const all = await run('list', '--all', '--json');
    const jobs = all.stdout.trimEnd().split('\n');
    expect(jobs.length).toBeGreaterThan(1);
    expect(JSON.parse(jobs[0] ?? '')).toMatchObject({ ID: id, RecordsFailed: 1 });
    const { screen } = await onTerminal(['job', 'list'], settings, 130);
    expect(screen).toMatch(/ID +State +Records +Failed +Users +Users\/s +Submitted +Operation/);
  });

  it('reports an unknown job ID in one line', async () => {
    for (const name of ['watch', 'cancel', 'failed'])
      expectOneLine(
        await run(name, '0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10'),
        /^anagrafe: There is no job with this ID/,
      );
  });
});
