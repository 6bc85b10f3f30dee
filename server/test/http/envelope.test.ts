import { connect } from 'node:net';
import { stopClock } from '@anagrafe/testing/clock';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

async function post(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${service.url}${path}`, { method: 'POST', body, headers });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

const json = { 'content-type': 'application/json' };
const update = '/api/sync/v1/irs/update';

function refusal(statusCode: number, errorCode: string) {
  return {
    statusCode,
    errorCode,
    message: expect.stringMatching(/^[A-Z"/].{10,}\.$/),
    result: null,
    debug: null,
  };
}

describe('the body of a call', () => {
  it.each([
    ['text', 'no json', 'INVALID_JSON'],
    ['a truncated array', '[{"ID":1', 'INVALID_JSON'],
    ['empty', '', 'INVALID_JSON'],
    ['an object with a duplicate field', '[{"ID":1,"ID":2,"Users":[]}]', 'INVALID_JSON'],
    ['a text with a lone surrogate', '["\\ud83d"]', 'INVALID_JSON'],
    ['an object', '{"ID":1,"Users":[]}', 'INVALID_BODY'],
    ['null', 'null', 'INVALID_BODY'],
    ['an empty array', '[]', 'INVALID_BODY'],
    ['an array of numbers', '[1]', 'INVALID_BODY'],
    ['a nested array', '[[]]', 'INVALID_BODY'],
    ['an array with null', '[null]', 'INVALID_BODY'],
  ])('gets 400 if it is %s', async (_, body, code) => {
    const answer = await post(update, body, json);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(refusal(400, code));
  });

  it('gets 400 if it is not UTF-8', async () => {
    const answer = await post(update, new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]), json);
    expect(answer.body).toEqual(refusal(400, 'INVALID_JSON'));
  });

  it('gets 400 with the index of an element that is not a record, and no record is applied', async () => {
    const good = { ID: principal, Users: [newUser('beside')] };
    const { status, body } = await service.call('irs/update', [good, 'bad']);
    expect(status).toBe(400);
    expect(body.message).toContain('Element [1] ');
    const stored = await service.database.query(`select from anagrafe.users where username = 'beside'`);
    expect(stored).toHaveLength(0);
  });

  it.each(['irs/list', 'irs/users'])('may be empty for %s, even with a JSON content type', async (path) => {
    const { status, body } = await post(`/api/sync/v1/${path}`, '', json);
    expect([status, body.errorCode, body.result?.page]).toEqual([200, null, 1]);
  });

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=iso-8859-1', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('gets 415 as %s %o', async (type, more) => {
    const answer = await post(update, '[]', { 'content-type': type, ...more });
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual(refusal(415, 'UNSUPPORTED_MEDIA_TYPE'));
  });

  it('may name its charset, and may begin with a byte order mark', async () => {
    const body = `\ufeff${JSON.stringify([{ ID: principal, Users: [newUser('marked')] }])}`;
    const answer = await post(update, body, { 'content-type': 'application/json; charset="UTF-8"' });
    expect(answer.status).toBe(200);
  });
});

describe('a path that does not exist', () => {
  it.each(['/api/sync/v1/irs/nothing', '/api/sync/v1/irs/update/', '/api', '/nothing', '/api/%zz'])(
    'gets 404 with the envelope: %s',
    async (path) => {
      const answer = await post(path, '[]', json);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.body).toEqual(refusal(404, 'NOT_FOUND'));
    },
  );
});

describe('a request that is not valid HTTP', () => {
  it('gets 400 with the envelope, and the connection is closed', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.end('NONSENSE\r\n\r\n');
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toEqual(refusal(400, 'INVALID_REQUEST'));
  });
});

describe('an internal error', () => {
  it('gets 500 with the request ID and without details, which are in the log', async () => {
    const broken = await startTestService();
    await broken.database.query('alter table anagrafe.users rename to hidden_users');
    const { status, body, text, headers } = await broken.call('irs/users', { Username: 'anyone' });
    await broken.stop();
    expect(status).toBe(500);
    expect(body).toEqual(refusal(500, 'INTERNAL'));
    expect(body.message).toContain(headers.get('x-request-id'));
    expect(text).not.toMatch(/select|relation|anagrafe\.|hidden|node_modules/i);
    expect(broken.log.join('\n')).toContain('relation');
  });
});

describe('calls above the rate limit', () => {
  it('get 429 with Retry-After', async () => {
    const slow = await startTestService({ ANAGRAFE_CALLS_PER_MINUTE: '2' });
    stopClock();
    const answers = [await slow.call('irs/list', {}), await slow.call('irs/list', {})];
    const { status, headers, body } = await slow.call('irs/list', {});
    await slow.stop();
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect(status).toBe(429);
    expect(body).toEqual(refusal(429, 'RATE_LIMITED'));
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});

describe('the parameter debug', () => {
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  it.each(['irs/update', 'irs/insert', 'irs/list', 'irs/users', 'nothing'])(
    'adds the debug part to the answer of %s, failed or not',
    async (path) => {
      const headers = { 'x-request-id': 'my-call.7' };
      const { body } = await service.call(`${path}?debug=true`, {}, { headers });
      const code = body.errorCode?.toLowerCase();
      expect(body.debug).toEqual({
        ...(code && { Help: `/docs/pages/errors.html#${code}` }),
        RequestTime: moment,
        ResponseTime: moment,
        Duration: expect.any(Number),
        ClientIP: '127.0.0.1',
        RequestId: 'my-call.7',
      });
      const { RequestTime = '', ResponseTime = '', Duration = -1 } = body.debug ?? {};
      expect(Date.parse(ResponseTime)).toBeGreaterThanOrEqual(Date.parse(RequestTime));
      expect(Math.abs(Date.parse(ResponseTime) - Date.parse(RequestTime) - Duration)).toBeLessThan(2);
    },
  );

  it('links the error code to a page of the service that explains it', async () => {
    const { body } = await service.call('nothing?debug=true', {});
    const [path, anchor] = body.debug?.Help?.split('#') ?? [];
    const page = await fetch(new URL(path ?? '', service.url));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(`id="${anchor}"`);
  });

  it('leaves the debug part null if it is false or absent', async () => {
    expect((await service.call('irs/list?debug=false', {})).body.debug).toBeNull();
    expect((await service.call('irs/list', {})).body.debug).toBeNull();
  });

  it.each([
    ['debug=yes', 'debug'],
    ['debug', 'debug'],
    ['debug=true&debug=true', 'debug'],
    ['verbose=true', 'verbose'],
    ['Debug=true', 'Debug'],
  ])('is the only parameter, and is true or false: ?%s gets 400', async (query, name) => {
    const { status, body } = await service.call(`irs/list?${query}`, {});
    expect(status).toBe(400);
    expect(body.errorCode).toBe('INVALID_PARAMETER');
    expect(body.message).toContain(`"${name}"`);
  });
});

describe('Accept-Language', () => {
  const italian = 'Nessun record applicato. Gli errori sono in result.records.';
  const english = 'No record was applied. See result.records for the errors.';

  it.each([
    ['it', italian],
    ['it-IT', italian],
    ['IT-it, en;q=0.9', italian],
    ['en;q=0.4, it;q=0.6', italian],
    ['de, fr;q=0.9, it;q=0.1', italian],
    ['it;q=0, en', english],
    ['it;q=0', english],
    ['it;q=0.5, en;q=0.8', english],
    ['de-DE, fr', english],
    ['*', english],
    ['italiano', english],
    [';;q=,,', english],
  ])('"%s" selects the language of the messages', async (language, sentence) => {
    const records = [{ ID: 999_999, Users: [newUser('lingua')] }];
    const headers = { 'accept-language': language };
    const answer = await service.call('irs/update', records, { headers });
    expect(answer.body.message).toBe(sentence);
    expect(answer.headers.get('content-language')).toBe(sentence === italian ? 'it' : 'en');
  });

  it('translates every message of an answer, and changes no code', async () => {
    const records = [{ ID: 999_999, Users: [newUser('lingua', { Password: 'corta' })] }];
    const headers = { 'accept-language': 'it' };
    const { body } = await service.call('irs/update', records, { headers });
    expect(body.errorCode).toBe('PRINCIPAL_NOT_FOUND');
    expect(body.result?.records[0]).toMatchObject({
      Item2: 'PRINCIPAL_NOT_FOUND',
      Item4: 'Nessuna anagrafica con questo ID.',
      Item5: {
        'Users[0].Password': [
          { code: 'PASSWORD_TOO_SHORT', message: 'La password deve avere almeno 8 caratteri.' },
        ],
      },
    });
  });

  it('applies to calls that are refused as a whole', async () => {
    const it = { 'accept-language': 'it', ...json };
    const missing = await post('/api/sync/v1/nothing', '[]', it);
    expect(missing.body.message).toBe("Percorso sconosciuto. L'elenco delle operazioni è in /docs.");
    expect(missing.headers.get('content-language')).toBe('it');
    expect((await post(update, '[]', it)).body.message).toBe("L'array è vuoto. Inviare almeno un record.");
  });
});
