import { gzipSync } from 'node:zlib';
import {
  expectRefusal,
  nested,
  principal,
  readEnvelope,
  registration,
  send,
  service,
  useServices,
} from '@anagrafe/testing/bad-input';
import { sendRaw } from '@anagrafe/testing/wire';
import { describe, expect, it } from 'vitest';

useServices();

describe.each(['irs/update', 'irs/insert'])('the body of %s', (path) => {
  it.each([
    ['is empty', ''],
    ['is white space', ' \n\t '],
    ['is no JSON', 'ID=1&Users=2'],
    ['breaks off', '[{"ID":1,"Users":['],
    ['continues after its end', '[{"ID":1}] [2]'],
    ['has a comma too many', '[{"ID":1,}]'],
    ['has a comment', '[{"ID":1} /* one */]'],
    ['has single quotes', "[{'ID':1}]"],
    ['has a line break in a string', '[{"Surname":"a\nb"}]'],
    ['has a bare NUL in a string', '[{"Surname":"a\0b"}]'],
    ['has NaN', '[{"ID":NaN}]'],
    ['has a number with a leading zero', '[{"ID":01}]'],
    ['has a number beyond any double', '[{"ID":1e400}]'],
    ['has a number of ten thousand digits', `[{"ID":${'9'.repeat(10_000)}}]`],
    ['has a field twice in a record', '[{"ID":1,"ID":2,"Users":[]}]'],
    ['has a field twice, once as null', '[{"ID":null,"ID":1,"Users":[]}]'],
    ['has a field twice in a user', '[{"ID":1,"Users":[{"Password":"a","Pass\\u0077ord":"b"}]}]'],
    ['has __proto__ twice', '[{"__proto__":{},"__proto__":{}}]'],
    ['holds the first half of a surrogate pair', '[{"Surname":"\\ud800"}]'],
    ['holds the second half of a surrogate pair', '[{"Surname":"\\udc00"}]'],
    ['holds a surrogate pair the wrong way round', '[{"Surname":"\\udc00\\ud800"}]'],
    ['holds half a surrogate pair in a name', '[{"Surname\\ud83d":"x"}]'],
    ['holds an unknown escape', '[{"Surname":"\\x41"}]'],
    ['is not UTF-8', Buffer.from('[{"Surname":"\xe9"}]', 'latin1')],
    ['holds half a surrogate pair as bytes', Buffer.from('[{"Surname":"\xed\xa0\x80"}]', 'latin1')],
    ['holds an overlong form', Buffer.from('[{"Surname":"\xc0\xaf"}]', 'latin1')],
    ['is UTF-16', Buffer.from('\ufeff[{"Surname":"x"}]', 'utf16le')],
    ['is random bytes', Buffer.from([0, 255, 254, 128, 192, 1, 2, 3])],
    ['is compressed without saying so', gzipSync('[{"Surname":"x"}]')],
    ['has the byte order mark twice', '\ufeff\ufeff[{"Surname":"x"}]'],
  ])('is refused with 400 INVALID_JSON when it %s', async (_, body) => {
    expectRefusal(await send(path, { body }), 400, 'INVALID_JSON');
  });

  it.each([
    ['an object', '{"ID":1,"Users":[]}'],
    ['null', 'null'],
    ['true', 'true'],
    ['a number', '-0'],
    ['a string', '"[]"'],
    ['the empty array', '[]'],
    ['an array that holds null', '[null]'],
    ['an array that holds a number', '[1.5]'],
    ['an array that holds a string', '["{}"]'],
    ['an array that holds an array', '[[{"ID":1}]]'],
  ])('is refused with 400 INVALID_BODY when it is %s', async (_, body) => {
    expectRefusal(await send(path, { body }), 400, 'INVALID_BODY');
  });

  it('is refused with the index of the element when a later element is not an object', async () => {
    const body = JSON.stringify([registration(), { Surname: 'Rossi' }, 7]);
    const { message } = expectRefusal(await send(path, { body }), 400, 'INVALID_BODY');
    expect(message).toContain('2');
  });

  it.each([
    ['one level too deep', nested(9)],
    ['one level too deep in a field', `[{"ID":1,"Users":${nested(7)}}]`],
    ['a hundred thousand levels deep', nested(100_000)],
    ['a hundred thousand levels deep and cut off', '['.repeat(100_000)],
    ['a hundred thousand objects deep', '{"a":'.repeat(100_000)],
    [
      'made of a million different names',
      `[{${Array.from({ length: 20_000 }, (_, n) => `"f${n}":1`).join()}}]`,
    ],
  ])('is refused with 413 when it is %s', async (_, body) => {
    expectRefusal(await send(path, { body }), 413, 'BODY_TOO_LARGE');
  });

  it('may be nested eight levels deep, so that only the record is refused', async () => {
    const body = `[{"ID":${principal},"Users":${nested(6)}}]`;
    expect((await send(path, { body })).status).toBe(422);
  });

  it.each([
    ['records', JSON.stringify(Array.from({ length: 1001 }, () => ({ ID: 1 })))],
    ['users', JSON.stringify([{ ID: 1, Users: Array.from({ length: 1001 }, () => ({})) }])],
  ])('is refused with 413 BATCH_TOO_LARGE and the limit when it has too many %s', async (_, body) => {
    const { message } = expectRefusal(await send(path, { body }), 413, 'BATCH_TOO_LARGE');
    expect(message).toContain('1000');
  });

  it.each([
    ['no content type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a kind of JSON with another meaning', { 'content-type': 'application/merge-patch+json' }],
    ['what only begins like JSON', { 'content-type': 'application/jsonp' }],
    ['nonsense for a content type', { 'content-type': ';;;' }],
    ['a Latin charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['UTF-16', { 'content-type': 'application/json;charset="utf-16"' }],
    ['gzip', { 'content-encoding': 'gzip' }],
    ['two encodings', { 'content-encoding': 'identity, br' }],
  ])('is refused with 415 when it is sent as %s', async (_, headers) => {
    const body = JSON.stringify([registration()]);
    expectRefusal(await send(path, { body, headers }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('is refused with 415 when the Content-Type header is missing', async () => {
    const body = JSON.stringify([registration()]);
    const head = `POST /api/sync/v1/${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n`;
    const answer = await sendRaw(
      service.url,
      `${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expectRefusal(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('is required: a request without a body gets 400', async () => {
    const answer = await sendRaw(
      service.url,
      `POST /api/sync/v1/${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nConnection: close\r\n\r\n`,
    );
    expectRefusal(answer, 400, 'INVALID_BODY');
  });

  it('is refused with 400 when a query parameter is unknown or invalid', async () => {
    const body = JSON.stringify([registration()]);
    for (const query of ['dry=true', '__proto__=1', 'Debug=true', '%00=1', 'constructor[prototype]=x']) {
      expectRefusal(await send(`${path}?${query}`, { body }), 400, 'INVALID_PARAMETER');
    }
    for (const query of ['debug=yes', 'debug=true&debug=true', 'debug', 'debug=%zz']) {
      const { message } = expectRefusal(await send(`${path}?${query}`, { body }), 400, 'INVALID_PARAMETER');
      expect(message).toContain('debug');
    }
  });
});

describe.each(['irs/list', 'irs/users'])('the parameters of %s', (path) => {
  it.each([
    '{"Search":"\\u0000"}',
    '{"ExternalKey":"a\\u0000"}',
    '{"ID":1.5}',
    '{"ID":9007199254740992}',
    '{"Page":-0}',
    '{"Page":"1"}',
    '{"PageSize":1001}',
    '{"PageSize":1e300}',
    '{"Date":"yesterday"}',
    '{"Date":"2026-99-99"}',
    '{"Date":1}',
    '{"Search":{}}',
    '{"__proto__":1}',
    '{"constructor":1}',
    '{"page":1}',
  ])('are refused with 400 when they are %s', async (body) => {
    expectRefusal(await send(path, { body }), 400, 'INVALID_PARAMETER');
  });

  it.each(['[]', '1', '"x"', 'true'])('are refused with INVALID_BODY when they are %s', async (body) => {
    expectRefusal(await send(path, { body }), 400, 'INVALID_BODY');
  });

  it.each([
    '{"Page":9007199254740991,"PageSize":1000}',
    '{"ID":9007199254740991}',
    '{"Search":"%_\\\\\'\\""}',
    '{"Search":"\\ud83d\\ude00 & | ! :* ()"}',
    '{"Date":"0000-01-01"}',
    '{"Date":"9999-12-31T23:59:59.999999999+14:00"}',
  ])('return a page, possibly empty, when they are %s', async (body) => {
    const envelope = readEnvelope(await send(path, { body }));
    expect(envelope.statusCode).toBe(200);
  });
});
