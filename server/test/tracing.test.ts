import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { childStore, startChild } from '@anagrafe/testing/child';
import { afterTest } from '@anagrafe/testing/endings';
import { expect, it } from 'vitest';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly status: { readonly code: number; readonly message: string };
  readonly attributes: Readonly<Record<string, string | number>>;
}

interface Collector {
  readonly url: string;
  readonly spans: Span[];
  readonly services: Set<string>;
  /** Everything that arrived, as text. */
  readonly bytes: string[];
}

/** Starts a collector that receives traces by OTLP over HTTP, as protobuf. */
async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const services = new Set<string>();
  const bytes: string[] = [];
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    expect([request.url, request.headers['content-type']]).toEqual(['/v1/traces', 'application/x-protobuf']);
    bytes.push(body.toString('latin1'));
    for (const resourceSpans of messages(body, 1)) {
      for (const resource of messages(resourceSpans, 1))
        services.add(String(attributes(resource, 1)['service.name']));
      for (const scope of messages(resourceSpans, 2)) spans.push(...messages(scope, 2).map(readSpan));
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, services, bytes };
}

/** Returns the fields of a protobuf message by their numbers. */
function fieldsOf(message: Buffer): Map<number, (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const value = [varint, () => take(8), () => take(Number(varint())), null, null, () => take(4)][
      tag & 7
    ]?.();
    if (value === undefined) throw new Error(`unknown wire type ${tag & 7}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;

  function take(length: number): Buffer {
    at += length;
    return message.subarray(at - length, at);
  }
}

const messages = (message: Buffer, field: number) => (fieldsOf(message).get(field) ?? []) as Buffer[];
const hex = (message: Buffer, field: number) => messages(message, field)[0]?.toString('hex') ?? '';
const text = (message: Buffer, field: number) => messages(message, field)[0]?.toString() ?? '';

function attributes(message: Buffer, field: number): Record<string, string | number> {
  const entries = messages(message, field).map((entry) => {
    const value = fieldsOf(messages(entry, 2)[0] ?? Buffer.alloc(0));
    const [string] = (value.get(1) ?? []) as Buffer[];
    return [text(entry, 1), string?.toString() ?? Number(value.get(3)?.[0])] as const;
  });
  return Object.fromEntries(entries);
}

function readSpan(span: Buffer): Span {
  const status = messages(span, 15)[0] ?? Buffer.alloc(0);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentId: hex(span, 4),
    name: text(span, 5),
    status: { code: Number(fieldsOf(status).get(3)?.[0] ?? 0), message: text(status, 2) },
    attributes: attributes(span, 9),
  };
}

const client = 'tracing.correct-horse-battery-staple-and-a-long-one';
const secret = 'Correct-Horse-9-Battery';
const person = 'luisa.trovata@example.com';

it('a service with OTEL_EXPORTER_OTLP_ENDPOINT sends a span for each request and each of its statements, without values', async () => {
  const collector = await startCollector();
  const { settings } = await childStore();
  const service = await startChild({
    ...settings,
    ANAGRAFE_FIRST_CLIENT: client,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'anagrafe-test',
  });
  const traceId = 'a'.repeat(32);
  const inserted = await service.call(
    'irs/insert',
    [
      {
        ExternalKey: 'K-1',
        Denomination: 'Trovata srl',
        Users: [{ Username: person, Password: secret, ConfirmPassword: secret }],
      },
    ],
    { authorization: `Bearer ${client}`, traceparent: `00-${traceId}-${'b'.repeat(16)}-01` },
  );
  expect([inserted.status, await inserted.text()]).toEqual([
    200,
    expect.stringContaining('"statusCode":200'),
  ]);
  const refused = await service.call('login', { Username: person, Password: `${secret}x` });
  expect(refused.status).toBe(401);
  await fetch(`${service.url}/admin/v1/audit?actor=${encodeURIComponent(person)}`);
  await fetch(`${service.url}/health/ready`);
  expect(await service.end('SIGTERM')).toBe(0);

  const insert = collector.spans.find(({ name }) => name === 'POST /api/sync/v1/irs/insert');
  expect(insert).toMatchObject({
    traceId,
    parentId: 'b'.repeat(16),
    attributes: { 'http.response.status_code': 200, 'url.path': '/api/sync/v1/irs/insert' },
  });
  const statements = collector.spans.filter(({ parentId }) => parentId === insert?.spanId);
  expect(statements.length).toBeGreaterThan(3);
  for (const { traceId: trace, attributes: found } of statements) {
    expect(trace).toBe(traceId);
    expect(found).toMatchObject({ 'db.system.name': 'postgresql', 'db.query.text': expect.any(String) });
  }
  expect(statements.some(({ name }) => name.includes('anagrafe.'))).toBe(true);
  const login = collector.spans.find(({ name }) => name === 'POST /api/sync/v1/login');
  expect(login?.status).toEqual({ code: 1, message: '' });
  expect(collector.spans.filter(({ name }) => name.includes('health'))).toEqual([]);
  const requests = new Set(
    collector.spans.filter(({ name }) => / \//.test(name)).map(({ spanId }) => spanId),
  );
  const orphans = collector.spans.filter(
    ({ spanId, parentId }) => !requests.has(spanId) && !requests.has(parentId),
  );
  expect(orphans).toEqual([]);
  expect([...collector.services]).toEqual(['anagrafe-test']);
  const everything = collector.bytes.join('');
  for (const value of [client, secret, person, encodeURIComponent(person), 'Trovata srl', 'K-1'])
    expect(everything).not.toContain(value);
});

it('a failed statement has its SQLSTATE in its span, and no message', async () => {
  const collector = await startCollector();
  const { settings, database } = await childStore();
  const service = await startChild({
    ...settings,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
  });
  await database.query('alter table anagrafe.users rename to users_away');
  expect((await service.call('login', { Username: person, Password: secret })).status).toBe(500);
  await service.end('SIGTERM');

  const failed = collector.spans.filter(({ status }) => status.code === 2);
  expect(failed.map(({ attributes: found }) => found['error.type'])).toContain('42P01');
  expect(failed.map(({ status }) => status.message)).toEqual(failed.map(() => ''));
});

it('a service whose collector does not answer works, reports it once, and stops', async () => {
  const { settings } = await childStore();
  const service = await startChild({
    ...settings,
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  expect((await service.call('irs/list', {})).status).toBe(200);
  await expect.poll(() => service.log.join('\n')).toContain('traces are incomplete');
  await service.call('irs/list', {});
  expect(await service.end('SIGTERM')).toBe(0);
  expect(service.log.filter((line) => line.includes('traces are incomplete'))).toHaveLength(1);
});
