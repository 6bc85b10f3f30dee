import {
  expectRefusal,
  readEnvelope,
  send,
  service,
  small,
  smallLimit,
  useServices,
} from '@anagrafe/testing/bad-input';
import { startTestService } from '@anagrafe/testing/service';
import { headOf, openWire, sendRaw } from '@anagrafe/testing/wire';
import { describe, expect, it } from 'vitest';

useServices();

describe('a truncated body', () => {
  const half = (length: number) => `[{"Surname":"${'x'.repeat(length)}`;

  it('is answered with 400 if its sender still reads', async () => {
    const wire = await openWire(service.url);
    wire.socket.end(headOf(service.url, 'irs/insert', { 'Content-Length': 1000 }) + half(100));
    expectRefusal(await wire.answer(), 400, 'INVALID_REQUEST');
  });

  it('is answered with 400 if it is chunked and its sender still reads', async () => {
    const wire = await openWire(service.url);
    const head = headOf(service.url, 'irs/insert', { 'Transfer-Encoding': 'chunked' });
    wire.socket.end(`${head}100\r\n${half(50)}`);
    expectRefusal(await wire.answer(), 400, 'INVALID_REQUEST');
  });

  it('releases its memory, so that a call is accepted after many of them', async () => {
    const cut = await startTestService({ ANAGRAFE_MAX_BODY_BYTES: String(smallLimit) });
    const length = 40_000;
    for (let round = 0; round < 30; round++) {
      const wire = await openWire(cut.url);
      const chunked = round % 2 === 0;
      const framing = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': smallLimit };
      const start = chunked ? `${length.toString(16)}\r\n` : '';
      const sent = headOf(cut.url, 'irs/insert', framing) + start + half(length - 100);
      await new Promise((resolve) => wire.socket.write(sent, resolve));
      if (round % 4 < 2) wire.socket.destroy();
      else wire.socket.resetAndDestroy();
    }
    const body = JSON.stringify([{ Surname: 'x'.repeat(60_000) }]);
    await expect.poll(async () => (await send('irs/insert', { body, to: cut })).status).toBe(422);
    // 503 is the answer while the memory of the last bodies is not released yet.
    expect(cut.log.filter((line) => /"level":"error"|"status":5(?!03)/.test(line))).toEqual([]);
  });
});

describe('a body above the limit of bytes', () => {
  const body = Buffer.alloc(4_000_000, ' ');

  it('is answered with 413, and its sender receives the answer', async () => {
    for (let round = 0; round < 5; round++) {
      const answer = await send('irs/update', { body, to: small });
      const { message } = expectRefusal(answer, 413, 'BODY_TOO_LARGE');
      expect(message).toContain(String(smallLimit));
    }
  });

  it('is answered with 413 if it is chunked, without a Content-Length', async () => {
    for (let round = 0; round < 5; round++) {
      const head = headOf(small.url, 'irs/update', { 'Transfer-Encoding': 'chunked', Connection: 'close' });
      const size = `${body.length.toString(16)}\r\n`;
      const answer = await sendRaw(small.url, head, size, body, '\r\n0\r\n\r\n');
      expectRefusal(answer, 413, 'BODY_TOO_LARGE');
    }
  });

  it('is answered with 413 before the whole body was sent', async () => {
    const wire = await openWire(small.url);
    wire.socket.write(headOf(small.url, 'irs/update', { 'Content-Length': body.length }));
    wire.socket.write(body.subarray(0, 1000));
    expectRefusal(await wire.answer(), 413, 'BODY_TOO_LARGE');
  });

  it('is refused by one byte more than the limit, which itself is accepted', async () => {
    const atLimit = '[{"Surname":7}]'.padEnd(smallLimit);
    expect((await send('irs/insert', { body: atLimit, to: small })).status).toBe(422);
    const over = await send('irs/insert', { body: `${atLimit} `, to: small });
    expectRefusal(over, 413, 'BODY_TOO_LARGE');
  });
});

describe('a large body that is not read', () => {
  const body = Buffer.alloc(4_000_000, ' ');

  it.each([
    ['415, for its content type', '/api/sync/v1/irs/update', 415, { 'content-type': 'text/plain' }],
    ['404, for its path', '/api/sync/v1/irs/nothing', 404, {}],
    ['401, for its credential', '/api/sync/v1/irs/update', 401, { authorization: 'Bearer nobody.nothing' }],
    ['400, for its query', '/api/sync/v1/irs/update?x=1', 400, {}],
  ])('is answered with %s, and its sender receives the answer', async (_, path, status, headers) => {
    for (let round = 0; round < 5; round++) {
      const answer = await send(path, { body, headers: headers as Record<string, string> });
      expect(readEnvelope(answer).statusCode).toBe(status);
    }
  });
});
