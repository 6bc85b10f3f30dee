import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { credential } from '@anagrafe/testing/admin';
import { startGateway } from '@anagrafe/testing/gateway';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  Anagrafe,
  AnagrafeError,
  ApiError,
  ConnectionError,
  TimeoutError,
  UnexpectedAnswerError,
} from '../../src/index.ts';

let service: TestService;
let keys: { publicKey: string; secretKey: string };

beforeAll(async () => {
  service = await startTestService();
  const { SyncPublicKey = '', SyncSecretKey = '' } = await credential(service);
  keys = { publicKey: SyncPublicKey, secretKey: SyncSecretKey };
});

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Returns everything that a log could print of a value, including hidden properties. */
const shown = (error: unknown) => inspect(error, { depth: 10, showHidden: true });

describe('an error of the client', () => {
  it('has the code, the status and the request ID of the service', async () => {
    const withoutKeys = new Anagrafe({ url: service.url });
    const error = await failureOf(withoutKeys.list().page());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(AnagrafeError);
    expect(error).toMatchObject({ name: 'ApiError', code: 'UNAUTHENTICATED', status: 401 });
    expect((error as ApiError).message).toMatch(/\w/);
    expect(service.log.join('')).toContain((error as ApiError).requestId);
  });

  it('is UNEXPECTED_ANSWER for a proxy page, an answer without a result and a redirect', async () => {
    const gateway = await startGateway(service.url);
    const anagrafe = new Anagrafe({ url: gateway.url, ...keys });
    for (const fault of [
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome to the hotel</h1>' },
      { status: 403, body: '{"error":"no entry"}' },
      {
        status: 200,
        body: JSON.stringify({ statusCode: 200, errorCode: null, message: null, result: null }),
      },
      { status: 301, headers: { location: `${service.url}/api/sync/v1/irs/list` } },
    ]) {
      gateway.networkFaults = [fault];
      const error = await failureOf(anagrafe.list().page());
      expect(error).toBeInstanceOf(UnexpectedAnswerError);
      expect(error).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: fault.status });
      expect(shown(error)).not.toMatch(/hotel|no entry/);
    }
    expect(gateway.seen).toHaveLength(4);
  });

  it('is CONNECTION_FAILED if the connection is refused', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const anagrafe = new Anagrafe({ url: `http://127.0.0.1:${port}`, retries: 0 });
    const error = await failureOf(anagrafe.list().page());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'CONNECTION_FAILED', cause: expect.any(Error), requestId: null });
  });

  it('is TIMED_OUT after the timeout of the client or of the call', async () => {
    const gateway = await startGateway(service.url);
    gateway.networkFaults = ['silence', 'silence'];
    const hasty = new Anagrafe({ url: gateway.url, retries: 0, timeoutMs: 50 });
    expect(await failureOf(hasty.list().page())).toBeInstanceOf(TimeoutError);
    const patient = new Anagrafe({ url: gateway.url, retries: 0 });
    const error = await failureOf(patient.list({}, { timeoutMs: 60 }).page());
    expect(error).toMatchObject({ code: 'TIMED_OUT', message: expect.stringContaining('60') });
  });

  it('is the abort reason of the caller if the caller aborts the call', async () => {
    const gateway = await startGateway(service.url);
    const anagrafe = new Anagrafe({ url: gateway.url, ...keys });
    const reason = { my: 'own reason' };
    const before = failureOf(anagrafe.list({}, { signal: AbortSignal.abort(reason) }).page());
    expect(await before).toBe(reason);
    expect(gateway.seen).toEqual([]);

    gateway.networkFaults = ['silence'];
    const during = new AbortController();
    const once = new Anagrafe({ url: gateway.url, ...keys, retries: 0 });
    const waiting = failureOf(once.list({}, { signal: during.signal }).page());
    await expect.poll(() => gateway.seen.length).toBe(1);
    during.abort(reason);
    expect(await waiting).toBe(reason);

    gateway.networkFaults = [{ status: 503, headers: { 'retry-after': '60' } }];
    const between = new AbortController();
    const listening = vi.spyOn(between.signal, 'addEventListener');
    const pausing = failureOf(anagrafe.list({}, { signal: between.signal }).page());
    await expect.poll(() => gateway.seen.length).toBe(2);
    // The client listens to the signal during its attempt, and again during the pause after it.
    await expect.poll(() => listening.mock.calls.length).toBe(2);
    between.abort(reason);
    expect(await pausing).toBe(reason);
    expect(gateway.seen).toHaveLength(2);
  });

  it('contains no secret and no body, for any cause', async () => {
    const gateway = await startGateway(service.url);
    const Password = 'a very private sentence';
    const secrets = [Password, keys.secretKey];
    const users = [{ Username: ' ', Password }];
    const refused = new Anagrafe({ url: gateway.url, ...keys, retries: 0 });
    const wrong = new Anagrafe({
      url: gateway.url,
      publicKey: keys.publicKey,
      secretKey: `${keys.secretKey}x`,
    });
    gateway.networkFaults = ['lost', { status: 200, body: Password }];
    // The request that times out may arrive late or never: on its own gateway it cannot take the failure of another.
    const silent = await startGateway(service.url);
    silent.networkFaults = ['silence'];
    const ignored = new Anagrafe({ url: silent.url, ...keys, retries: 0, timeoutMs: 50 });
    const errors = [
      await failureOf(refused.register(1, users)),
      await failureOf(ignored.register(1, users)),
      await failureOf(refused.register(1, users)),
      await failureOf(refused.register(1, users)),
      await failureOf(wrong.register(1, users)),
      await failureOf(refused.login({ Username: 'nobody', Password })),
    ];
    expect(errors.map((error) => (error as AnagrafeError).code)).toEqual([
      'CONNECTION_FAILED',
      'TIMED_OUT',
      'UNEXPECTED_ANSWER',
      'PRINCIPAL_NOT_FOUND',
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
    ]);
    for (const error of errors) for (const secret of secrets) expect(shown(error)).not.toContain(secret);
  });
});

describe('a client with invalid options', () => {
  const url = 'http://127.0.0.1:8420';
  it.each([
    { url: 'anagrafe.example.com' },
    { url: 'ftp://anagrafe.example.com' },
    { url: 'https://someone:secret@anagrafe.example.com' },
    { url: 'https://anagrafe.example.com/?a=secret' },
    { url, publicKey: 'agp_1' },
    { url, secretKey: 'secret' },
    { url, publicKey: 'agp_1', secretKey: 'secret', accessToken: 'agt_1' },
    { url, publicKey: 'agp_1', secretKey: 'secret\n' },
    { url, accessToken: 'secret ' },
    { url, headers: { 'X-Proxy': 'secret\r\n' } },
    { url, timeoutMs: Number.NaN },
    { url, retries: -1 },
  ])('causes a TypeError without the secret in the message: %#', (options) => {
    const making = () => new Anagrafe(options);
    expect(making).toThrow(TypeError);
    expect(making).not.toThrow(/secret[^K]/);
  });
});

describe('a client', () => {
  it('does not reveal its keys when it is inspected', () => {
    expect(shown(new Anagrafe({ url: service.url, ...keys }))).not.toContain(keys.secretKey);
  });

  it('can call a service under a path prefix with extra headers for a proxy', async () => {
    const gateway = await startGateway(service.url);
    gateway.networkFaults = [{ status: 404 }];
    const anagrafe = new Anagrafe({ url: `${gateway.url}/behind/`, ...keys, headers: { 'X-Proxy': 'yes' } });
    await failureOf(anagrafe.list().page());
    expect(gateway.seen).toMatchObject([
      { path: '/behind/api/sync/v1/irs/list', headers: { 'x-proxy': 'yes' } },
    ]);
  });
});
