import type { Logger } from 'pino';
import { ConfigError } from './settings/config.ts';
import type { Tracing } from './trace-exporter.ts';

export type { Tracing };

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
