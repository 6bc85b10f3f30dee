import { credential } from '@anagrafe/testing/admin';
import { registerUsers, rightPassword, signedIn } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

const portal = 'https://portal.example.com';
/** Origins that only resemble the allowed one. */
const otherOrigins = [
  'https://portal.example.com.evil.example',
  'https://evil.example/https://portal.example.com',
  'http://portal.example.com',
  'https://portal.example.com:8443',
  'https://PORTAL.example.com',
  'https://xportal.example.com',
  'null',
  '',
];
/** Routes that signed-in users may call. */
const forUsers = ['login', 'login/refresh', 'logout', 'irs/update', 'irs/list'];

let service: TestService;
let closed: TestService;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_ALLOWED_ORIGINS: `${portal},http://localhost:3000` });
  await registerUsers(service, 'mario');
  // Ends protected mode, in which programs on this machine need no credential.
  await credential(service);
  closed = await startTestService();
});

const corsHeaders = ({ headers }: { headers: Headers }) =>
  [...headers].filter(([name]) => name.startsWith('access-control-'));

function preflight(of: TestService, path: string, origin: string | null) {
  return fetch(`${of.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      ...(origin !== null && { origin }),
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'accesstoken,content-type',
    },
  });
}

describe('a preflight request', () => {
  it.each(forUsers)('of an allowed origin gets 204 without a credential: %s', async (path) => {
    for (const origin of [portal, 'http://localhost:3000']) {
      const answer = await preflight(service, `/api/sync/v1/${path}`, origin);
      expect([answer.status, await answer.text()]).toEqual([204, '']);
      expect(Object.fromEntries(corsHeaders(answer))).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': expect.stringMatching(/\bPOST\b/),
        'access-control-allow-headers': expect.stringMatching(/^(?!.*Sync)AccessToken,.*Content-Type/),
        'access-control-max-age': '600',
      });
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  it.each(otherOrigins)('of another origin gets 403: "%s"', async (origin) => {
    const answer = await preflight(service, '/api/sync/v1/login', origin);
    expect(answer.status).toBe(403);
    expect(corsHeaders(answer)).toEqual([]);
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(await answer.json()).toMatchObject({
      errorCode: 'FORBIDDEN',
      message: expect.stringContaining('ANAGRAFE_ALLOWED_ORIGINS'),
    });
  });

  it.each([
    '/api/sync/v1/irs/insert',
    '/api/sync/v1/irs/users',
    '/api/sync/v1/events',
    '/admin/v1/clients',
    '/console/session',
    '/health/ready',
    '/openapi.json',
  ])('to a route that is not for signed-in users gets 405: %s', async (path) => {
    const answer = await preflight(service, path, portal);
    expect(answer.status).toBe(405);
    expect(corsHeaders(answer)).toEqual([]);
  });

  it('gets 405 if ANAGRAFE_ALLOWED_ORIGINS is not set', async () => {
    for (const path of forUsers) {
      const answer = await preflight(closed, `/api/sync/v1/${path}`, portal);
      expect(answer.status).toBe(405);
      expect(corsHeaders(answer)).toEqual([]);
    }
  });
});

describe('the answer to a request of a web page', () => {
  const login = (of: TestService, headers: Record<string, string>, Password = rightPassword) =>
    of.call('login', { Username: 'mario', Password }, { headers });

  it('has CORS headers for an allowed origin, also if it is an error', async () => {
    for (const password of [rightPassword, 'wrong password of mario']) {
      const answer = await login(service, { origin: portal }, password);
      expect(answer.status).toBe(password === rightPassword ? 200 : 401);
      expect(Object.fromEntries(corsHeaders(answer))).toEqual({
        'access-control-allow-origin': portal,
        'access-control-expose-headers': 'Retry-After, X-Request-Id',
      });
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  it.each(otherOrigins)('has no CORS headers for another origin: "%s"', async (origin) => {
    const answer = await login(service, { origin });
    expect(answer.status).toBe(200);
    expect(corsHeaders(answer)).toEqual([]);
    expect(answer.headers.get('vary')).toBe('Origin');
  });

  it('has CORS headers for requests with an access token', async () => {
    const { Token } = await signedIn(service, 'mario');
    const headers = { origin: portal, AccessToken: Token };
    for (const path of ['irs/list', 'logout']) {
      const answer = await service.call(path, {}, { headers });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, portal]);
    }
    const ended = await service.call('irs/list', {}, { headers });
    expect([ended.status, ended.headers.get('access-control-allow-origin')]).toEqual([401, portal]);
  });

  it('never allows cookies', async () => {
    const answers = [
      await preflight(service, '/api/sync/v1/login', portal),
      await login(service, { origin: portal }),
    ];
    for (const { headers } of answers) expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('has no CORS header if the route is not for signed-in users, or if no origin is allowed', async () => {
    const office = await credential(service);
    const users = await service.call('irs/users', {}, { headers: { ...office, origin: portal } });
    expect([users.status, corsHeaders(users)]).toEqual([200, []]);
    const answer = await closed.call(
      'login',
      { Username: 'mario', Password: 'x' },
      { headers: { origin: portal } },
    );
    expect([corsHeaders(answer), answer.headers.get('vary')]).toEqual([[], null]);
  });
});
