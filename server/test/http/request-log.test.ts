import { blocked } from '@anagrafe/testing/interruption';
import { getText, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

type Headers = Record<string, string>;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const get = (path: string, headers: Headers = {}, at = service) => getText(at, path, headers);

describe('the request ID', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

  it('is in every answer, including answers to refused and malformed requests', async () => {
    for (const path of [
      '/health/live',
      '/metrics',
      '/docs',
      '/none',
      '/api/sync/v1/none',
      '/%zz',
      '/openapi.json',
    ]) {
      const { headers } = await get(path);
      expect([path, headers['x-request-id']]).toEqual([path, expect.stringMatching(uuid)]);
    }
    const refused = await get('/api/sync/v1/irs/list', { host: 'evil.com' });
    expect(refused.headers['x-request-id']).toMatch(uuid);
  });

  it('is the X-Request-Id of the request if that is valid', async () => {
    for (const id of ['abc', '4b1f0a52-3c1e-4b6e-9d4e-7d1c2b3a4f5e', 'a.b_c-D9', 'x'.repeat(64)]) {
      expect((await get('/health/live', { 'x-request-id': id })).headers['x-request-id']).toBe(id);
    }
  });

  it('is a new UUID if the X-Request-Id of the request is invalid', async () => {
    for (const id of [
      '',
      'x'.repeat(65),
      'a b',
      '<script>',
      '"quoted"',
      'a/../b',
      'à',
      '{"level":"fatal"}',
      'a,b',
    ]) {
      expect((await get('/health/live', { 'x-request-id': id })).headers['x-request-id']).toMatch(uuid);
    }
  });
});

describe('the log', () => {
  it('contains one JSON line per call with client, path, status and request ID', async () => {
    const { status } = await service.call('irs/list', {}, { headers: { 'x-request-id': 'logged-1' } });
    expect(status).toBe(200);
    const entries = service.log.map((line) => JSON.parse(line));
    expect(service.log.every((line) => line.endsWith('}\n') && line.indexOf('\n') === line.length - 1)).toBe(
      true,
    );
    expect(entries.filter((entry) => entry.reqId === 'logged-1')).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
        reqId: 'logged-1',
        method: 'POST',
        path: '/api/sync/v1/irs/list',
        status: 200,
        ms: expect.any(Number),
        ip: '127.0.0.1',
        client: 'protected mode',
        msg: 'call',
      },
    ]);
  });

  it('contains no password, query or header', async () => {
    const Password = 'a password that must not be logged';
    const headers = { 'x-anything': 'header-not-logged', 'x-request-id': 'logged-2' };
    const users = [newUser('logged.user', { Password, ConfirmPassword: Password })];
    await service.call('irs/insert?token=query-not-logged', [{ Denomination: 'Logged', Users: users }], {
      headers,
    });
    await service.call('irs/insert', [{ Denomination: 'Logged', Users: users }], { headers });
    const log = service.log.join('');
    expect(log).toContain('logged-2');
    for (const hidden of [Password, 'query-not-logged', 'header-not-logged', 'argon2id']) {
      expect(log).not.toContain(hidden);
    }
  });

  it('contains the status and the address of refused calls', async () => {
    await get('/api/sync/v1/irs/list', { 'x-request-id': 'logged-3' });
    await service.call(
      'irs/list',
      {},
      { headers: { 'x-request-id': 'logged-4', 'x-real-ip': '203.0.113.9' } },
    );
    const entries = service.log.map((line) => JSON.parse(line));
    expect(entries.find((entry) => entry.reqId === 'logged-3')).toMatchObject({ status: 405 });
    expect(entries.find((entry) => entry.reqId === 'logged-4')).toMatchObject({
      status: 401,
      ip: '127.0.0.1',
    });
  });
});

describe('a call whose client closes the connection before the answer', () => {
  it('is applied, and has one line with the status 499 and no error', async () => {
    const id = 'left-early';
    const { database, log, url } = service;
    let answer = '';
    // The call waits for this lock, so that the client leaves before the answer.
    await database.transaction(async (connection) => {
      await connection.query('lock table anagrafe.principals in exclusive mode');
      const leaving = new AbortController();
      const call = service.call('irs/insert', [{ Denomination: 'Left' }], {
        headers: { 'x-request-id': id },
        signal: leaving.signal,
      });
      await expect
        .poll(() => connection.query(`select ${blocked}`).then((rows) => rows.length))
        .toBeGreaterThan(0);
      leaving.abort();
      answer = await call.then(
        () => 'answered',
        () => 'aborted',
      );
      await expect.poll(() => linesOf(log, id).map(({ status }) => status)).toEqual([499]);
    });
    expect(answer).toBe('aborted');
    const stored = () => database.query(`select from anagrafe.principals where denomination = 'Left'`);
    await expect.poll(async () => (await stored()).length).toBe(1);
    // The next call is answered after the aborted one has ended.
    await fetch(`${url}/health/ready`);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^anagrafe_call_duration_seconds_count\{.*irs\/insert.*status="499"\} 1$/m);
    expect(linesOf(log, id)).toMatchObject([{ level: 'info', msg: 'call', status: 499 }]);
  });
});

function linesOf(log: readonly string[], reqId: string) {
  const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.filter((line) => line.reqId === reqId);
}
