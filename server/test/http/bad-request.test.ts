import {
  expectFieldErrors,
  expectRefusal,
  firstClient,
  nested,
  principal,
  readEnvelope,
  send,
  service,
  useServices,
} from '@anagrafe/testing/bad-input';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { sendRaw } from '@anagrafe/testing/wire';
import { Client } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';

useServices();

describe('a request that is not valid HTTP', () => {
  const post = 'POST /api/sync/v1/irs/update HTTP/1.1';
  const host = 'Host: localhost';

  it.each([
    ['garbage', 'GARBAGE\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100a5010000a1030300', 'hex')],
    ['an unknown version', 'POST /api/sync/v1/irs/update HTTP/9.9\r\n\r\n'],
    ['a header without a colon', `${post}\r\n${host}\r\nnonsense\r\n\r\n`],
    ['a header with NUL', `${post}\r\n${host}\r\nX: a\0b\r\n\r\n`],
    ['a header with a space in its name', `${post}\r\n${host}\r\nContent Length: 2\r\n\r\n[]`],
    ['a Content-Length that is not a number', `${post}\r\n${host}\r\nContent-Length: two\r\n\r\n[]`],
    ['a negative Content-Length', `${post}\r\n${host}\r\nContent-Length: -2\r\n\r\n[]`],
    ['two Content-Length headers', `${post}\r\n${host}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]`],
    [
      'a Content-Length together with chunks',
      `${post}\r\n${host}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n[]`,
    ],
    [
      'a chunk without a size',
      `${post}\r\n${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n`,
    ],
  ])('is answered with 400 and the envelope: %s', async (_, text) => {
    expectRefusal(await sendRaw(service.url, text), 400, 'INVALID_REQUEST');
  });

  it.each([
    ['a header', `${post}\r\n${host}\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['a path', `POST /api/${'x'.repeat(1_000_000)} HTTP/1.1\r\n${host}\r\n\r\n`],
  ])('is answered with 431 and the envelope for %s of a megabyte', async (_, text) => {
    expectRefusal(await sendRaw(service.url, text), 431, 'HEADERS_TOO_LARGE');
  });

  it('is answered with the envelope when it lacks the Host header', async () => {
    const answer = await sendRaw(service.url, `${post}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    expect(answer?.status).toBe(400);
    expectRefusal(answer, 400, 'INVALID_REQUEST');
  });

  it('is answered with the envelope when its Expect header is unknown', async () => {
    const answer = await sendRaw(
      service.url,
      `${post}\r\n${host}\r\nConnection: close\r\nExpect: miracles\r\nContent-Length: 0\r\n\r\n`,
    );
    readEnvelope(answer ?? { status: 0, text: '' });
  });

  it('does not prevent the service from answering the next request', async () => {
    await sendRaw(service.url, 'GARBAGE\r\n\r\n');
    const envelope = readEnvelope(await send('irs/list', { body: '{}' }));
    expect(envelope.statusCode).toBe(200);
  });
});

describe('a path that does not exist', () => {
  it.each([
    '/api',
    '/api/',
    '/api/sync/v1',
    '/api/sync/v2/irs/update',
    '/api/sync/v1/irs/update/',
    '/api/sync/v1/irs/UPDATE',
    '/api/sync/v1/irs/update%00',
    '/api/sync/v1/irs/../../../../etc/passwd',
    '/api/sync/v1/irs/%2e%2e/update',
    '/api/%zz',
    '/api/%',
    '/api/%e0%a4%a',
    '/api/%ff',
    '/api/sync/v1/irs/%c0%af',
    `/api/${'x'.repeat(8000)}`,
  ])('is answered with 404 and the envelope: %s', async (path) => {
    const lines = [`POST ${path} HTTP/1.1`, `Host: ${new URL(service.url).host}`, 'Connection: close'];
    const answer = await sendRaw(service.url, `${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`);
    expectRefusal(answer, 404, 'NOT_FOUND');
  });

  it.each([
    ['broken JSON', '[{', 'application/json'],
    ['an unknown content type', '<x/>', 'application/xml'],
    ['the name of a prototype', '{"__proto__":1}', 'application/json'],
    ['two megabytes', ' '.repeat(2_000_000), 'application/json'],
  ])('is answered with 404 for any body: %s', async (_, body, type) => {
    const answer = await send('/api/sync/v1/irs/nothing', { body, headers: { 'content-type': type } });
    expectRefusal(answer, 404, 'NOT_FOUND');
  });
});

describe('a method that the path does not allow', () => {
  it.each(['GET', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK'])(
    'is answered with 405 and Allow: %s',
    async (method) => {
      const head = `${method} /api/sync/v1/irs/update HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n`;
      const answer = await sendRaw(service.url, `${head}Connection: close\r\nContent-Length: 0\r\n\r\n`);
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer?.headers.get('allow')).toBe('POST, PUT, PATCH');
    },
  );

  it('is answered with 405 and Allow, and without a body, when it is HEAD', async () => {
    const answer = await send('irs/update', { method: 'HEAD' });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST, PUT, PATCH');
    expect(answer.text).toBe('');
  });

  it('is answered with 405 when it is HEAD of a list, which would be read and dropped', async () => {
    for (const path of ['jobs', 'events']) expect((await send(path, { method: 'HEAD' })).status).toBe(405);
    const health = await fetch(`${service.url}/health/live`, { method: 'HEAD' });
    expect(health.status).toBe(200);
  });

  it('is answered with 400 when HTTP does not define it', async () => {
    const answer = await sendRaw(
      service.url,
      'FROBNICATE /api/sync/v1/irs/update HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expectRefusal(answer, 400, 'INVALID_REQUEST');
  });

  it.each([
    ['broken JSON', '[{', 'application/json'],
    ['an unknown content type', '<x/>', 'application/xml'],
  ])('is answered with 405 for any body: %s', async (_, body, type) => {
    const answer = await send('irs/update', { method: 'DELETE', body, headers: { 'content-type': type } });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
  });
});

describe('a valid body', () => {
  it('may begin with a byte order mark', async () => {
    const body = `\ufeff${JSON.stringify([{ ID: principal, Users: [newUser('present')] }])}`;
    const errors = await expectFieldErrors(await send('irs/update', { body }), 'USERNAME_TAKEN');
    expect(errors).toEqual([['Users[0].Username', 'USERNAME_TAKEN']]);
  });

  it('may have its charset in any case and in quotes', async () => {
    for (const type of ['application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"']) {
      const answer = await send('irs/list', { body: '{}', headers: { 'content-type': type } });
      expect(answer.status).toBe(200);
    }
  });
});

describe('a request through a trusted proxy', () => {
  let behindProxy: TestService;

  beforeAll(async () => {
    behindProxy = await startTestService({
      ANAGRAFE_TRUST_PROXY: '127.0.0.1',
      ANAGRAFE_FIRST_CLIENT: firstClient,
    });
  });

  it.each([
    'unknown',
    '999.1.1.1',
    '10.0.0.1:4711',
    'fe80::1%eth0',
    '[::1]',
    '::ffff:10.0.0.1',
    ',,,',
    `${'1.1.1.1,'.repeat(500)}x`,
    "'; drop table anagrafe.users; --",
  ])('does not fail because of the forwarded address: %s', async (address) => {
    const headers = { 'x-forwarded-for': address };
    const closed = await send('irs/list', { body: '{}', headers, to: behindProxy });
    expectRefusal(closed, 401, 'UNAUTHENTICATED');
    const open = { ...headers, authorization: `Bearer ${firstClient}` };
    expect((await send('irs/list', { body: '{}', headers: open, to: behindProxy })).status).toBe(200);
  });

  it.each([
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['a bearer without a dot', { authorization: 'Bearer x' }],
    ['a bearer of dots', { authorization: 'Bearer ....' }],
    ['another scheme', { authorization: 'Basic Zmlyc3Q6c2Vj' }],
    ['a key alone', { syncpublickey: 'first' }],
    ['a secret alone', { syncsecretkey: 's'.repeat(40) }],
    ['invalid keys', { syncpublickey: "' or 1=1 --", syncsecretkey: '\x80\xff' }],
    ['a token that was never issued', { accesstoken: 'x'.repeat(4000) }],
    ['two credentials', { authorization: `Bearer ${firstClient}`, accesstoken: 'x' }],
  ])('is refused with 401 if the credential is invalid: %s', async (_, headers) => {
    const answer = await send('irs/list', {
      body: '{}',
      headers: headers as Record<string, string>,
      to: behindProxy,
    });
    expectRefusal(answer, 401, 'UNAUTHENTICATED');
    expect(answer.headers['www-authenticate']).toContain('Bearer');
  });
});

it('the service answers invalid calls on one connection in their order', async () => {
  const client = new Client(service.url, { pipelining: 8 });
  const bodies = ['[', '[]', '{}', '[{}]', '[{"ID":1e400}]', '[null]', nested(20), '[{"ID":1,"ID":1}]'];
  const answers = await Promise.all(
    bodies.map(async (body) => {
      const path = '/api/sync/v1/irs/update';
      const headers = { 'content-type': 'application/json' };
      const answer = await client.request({ path, method: 'PUT', body, headers });
      return readEnvelope({ status: answer.statusCode, text: await answer.body.text() }).errorCode;
    }),
  );
  await client.close();
  expect(answers).toEqual([
    'INVALID_JSON',
    'INVALID_BODY',
    'INVALID_BODY',
    'INVALID_RECORD',
    'INVALID_JSON',
    'INVALID_BODY',
    'BODY_TOO_LARGE',
    'INVALID_JSON',
  ]);
});
