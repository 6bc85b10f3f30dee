import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  Anagrafe,
  AnagrafeError,
  ApiError,
  ConnectionError,
  TimeoutError,
  UnexpectedAnswerError,
} from '../../../client/src/index.ts';
import { credential } from '../setup/admin.ts';
import { startTestService, type TestService } from '../setup/service.ts';
import { startGateway } from './gateway.ts';

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

/** Everything that a log could show of an error. */
const shown = (error: unknown) => inspect(error, { depth: 10, showHidden: true });

describe('an error', () => {
  it('of the service has its code, status and request', async () => {
    const stranger = new Anagrafe({ url: service.url });
    const error = await failureOf(stranger.list().page());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(AnagrafeError);
    expect(error).toMatchObject({ name: 'ApiError', code: 'UNAUTHENTICATED', status: 401 });
    expect((error as ApiError).message).toMatch(/\w/);
    expect(service.log.join('')).toContain((error as ApiError).requestId);
  });

  it('tells a page of a proxy, an empty answer and a redirect from the service', async () => {
    const gateway = await startGateway(service.url);
    const anagrafe = new Anagrafe({ url: gateway.url, ...keys });
    for (const mishap of [
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome to the hotel</h1>' },
      { status: 403, body: '{"error":"no entry"}' },
      {
        status: 200,
        body: JSON.stringify({ statusCode: 200, errorCode: null, message: null, result: null }),
      },
      { status: 301, headers: { location: `${service.url}/api/sync/v1/irs/list` } },
    ]) {
      gateway.mishaps = [mishap];
      const error = await failureOf(anagrafe.list().page());
      expect(error).toBeInstanceOf(UnexpectedAnswerError);
      expect(error).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: mishap.status });
      expect(shown(error)).not.toMatch(/hotel|no entry/);
    }
    expect(gateway.seen).toHaveLength(4);
  });

  it('says that nobody is there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const nobody = new Anagrafe({ url: `http://127.0.0.1:${port}`, retries: 0 });
    const error = await failureOf(nobody.list().page());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'CONNECTION_FAILED', cause: expect.any(Error), requestId: null });
  });

  it('says that no answer came in time, of the client or of the call', async () => {
    const gateway = await startGateway(service.url);
    gateway.mishaps = ['silence', 'silence'];
    const hasty = new Anagrafe({ url: gateway.url, retries: 0, timeoutMs: 50 });
    expect(await failureOf(hasty.list().page())).toBeInstanceOf(TimeoutError);
    const patient = new Anagrafe({ url: gateway.url, retries: 0 });
    const error = await failureOf(patient.list({}, { timeoutMs: 60 }).page());
    expect(error).toMatchObject({ code: 'TIMED_OUT', message: expect.stringContaining('60') });
  });

  it('is the reason of the caller, untouched, when the caller ends the call', async () => {
    const gateway = await startGateway(service.url);
    const anagrafe = new Anagrafe({ url: gateway.url, ...keys });
    const reason = { my: 'own reason' };
    const before = failureOf(anagrafe.list({}, { signal: AbortSignal.abort(reason) }).page());
    expect(await before).toBe(reason);
    expect(gateway.seen).toEqual([]);

    gateway.mishaps = ['silence'];
    const during = new AbortController();
    const once = new Anagrafe({ url: gateway.url, ...keys, retries: 0 });
    const waiting = failureOf(once.list({}, { signal: during.signal }).page());
    await expect.poll(() => gateway.seen.length).toBe(1);
    during.abort(reason);
    expect(await waiting).toBe(reason);

    gateway.mishaps = [{ status: 503, headers: { 'retry-after': '60' } }];
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

  it('shows no secret and no body, whatever went wrong', async () => {
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
    gateway.mishaps = ['lost', { status: 200, body: Password }];
    // The request that times out may not even have been sent: it must not meet what another one is to meet.
    const silent = await startGateway(service.url);
    silent.mishaps = ['silence'];
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

describe('a client that cannot be', () => {
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
  ])('is refused when it is made, without its secret: %#', (options) => {
    const making = () => new Anagrafe(options);
    expect(making).toThrow(TypeError);
    expect(making).not.toThrow(/secret[^K]/);
  });
});

describe('a client', () => {
  it('shows its keys to nobody who looks at it', () => {
    expect(shown(new Anagrafe({ url: service.url, ...keys }))).not.toContain(keys.secretKey);
  });

  it('calls a service behind a prefix, with headers for what stands before it', async () => {
    const gateway = await startGateway(service.url);
    gateway.mishaps = [{ status: 404 }];
    const anagrafe = new Anagrafe({ url: `${gateway.url}/behind/`, ...keys, headers: { 'X-Proxy': 'yes' } });
    await failureOf(anagrafe.list().page());
    expect(gateway.seen).toMatchObject([
      { path: '/behind/api/sync/v1/irs/list', headers: { 'x-proxy': 'yes' } },
    ]);
  });
});
