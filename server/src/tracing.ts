import type { FastifyPluginCallback } from 'fastify';
import type { Logger } from 'pino';
import type { TraceStatement } from './db/run-statements.ts';
import { ConfigError } from './settings/config.ts';

export interface Tracing {
  /** Begins a span for each request. Registered before every other hook and route. */
  readonly requestSpans: FastifyPluginCallback;
  readonly traceStatement: TraceStatement;
  /** Sends the spans that are left. */
  close(): Promise<void>;
}

/** The accepted values of the variables of OpenTelemetry that others of its libraries understand more of. */
const acceptedValues = {
  OTEL_TRACES_EXPORTER: ['otlp', 'none'],
  OTEL_EXPORTER_OTLP_PROTOCOL: ['http/protobuf'],
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ['http/protobuf'],
} as const;

/** Returns null, without loading a package of OpenTelemetry, unless the variables ask for traces. */
export async function openTracing(environment: NodeJS.ProcessEnv, log: Logger): Promise<Tracing | null> {
  if (!isWanted(environment)) return null;
  for (const [name, accepted] of Object.entries(acceptedValues)) {
    const value = environment[name];
    if (value && !(accepted as readonly string[]).includes(value))
      throw new ConfigError(`${name} is ${JSON.stringify(value)}`, {
        code: 'setting_invalid',
        advice: `expected ${accepted.join(' or ')}.`,
      });
  }
  const { startTracing } = await import('./trace-exporter.ts');
  return startTracing(log);
}

function isWanted(environment: NodeJS.ProcessEnv): boolean {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (environment.OTEL_TRACES_EXPORTER) return environment.OTEL_TRACES_EXPORTER !== 'none';
  return Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
