import { sourcesBelow } from '@anagrafe/testing/sources';
import { expect, it } from 'vitest';
import { openLog } from '../src/lib/log.ts';
import { openTracing } from '../src/tracing.ts';

const log = openLog('silent');
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

it.each([
  ['no variable', {}],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['only a service name', { OTEL_SERVICE_NAME: 'anagrafe' }],
  ['OTEL_SDK_DISABLED', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
  ['OTEL_TRACES_EXPORTER=none', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
])('a service with %s has no traces', async (_, variables) => {
  expect(await openTracing(variables, log)).toBeNull();
});

it.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'expected http/protobuf.'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json', 'expected http/protobuf.'],
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'expected otlp or none.'],
])('a service refuses to start with %s=%s', async (name, value, advice) => {
  const opening = openTracing({ ...endpoint, [name]: value }, log);
  await expect(opening).rejects.toMatchObject({ message: expect.stringContaining(name), advice });
});

it('only the exporter imports OpenTelemetry, and nothing imports the exporter unless traces are wanted', () => {
  const sources = sourcesBelow('server/src');
  const users = sources.filter(({ others }) =>
    others.some((name) => name.startsWith('@opentelemetry/') || name === '@fastify/otel'),
  );
  expect(users.map(({ path }) => path)).toEqual(['trace-exporter.ts']);
  const importers = sources.filter(({ text }) => text.includes('trace-exporter.ts'));
  expect(importers.map(({ path }) => path)).toEqual(['tracing.ts']);
  expect(importers[0]?.text).toContain("await import('./trace-exporter.ts')");
});
