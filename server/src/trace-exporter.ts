import { setTimeout as sleep } from 'node:timers/promises';
import { FastifyOtelInstrumentation } from '@fastify/otel';
import { diag, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { FastifyPluginCallback } from 'fastify';
import type { Logger } from 'pino';
import type { TraceStatement } from './db/send-statements.ts';
import { version } from './lib/package-folder.ts';

export interface Tracing {
  /** Begins a span for each request. Registered before every other hook and route. */
  readonly requestSpans: FastifyPluginCallback;
  readonly traceStatement: TraceStatement;
  /** Sends the spans that are left. */
  close(): Promise<void>;
}

/** Longest wait for the last spans, so that a collector that does not answer cannot delay the stop. */
const closeMs = 5000;
/** The SDK repeats a problem with every batch of spans. */
const reportEveryMs = 60_000;

/** Sends spans by OTLP over HTTP. The SDK itself reads the standard variables for the endpoint, sampling and batches. */
export function startTracing(log: Logger): Tracing {
  reportProblems(log);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'anagrafe', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [withoutMessages, new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const instrumentation = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    ignorePaths: ({ url }) => /^\/(health\/|metrics)/.test(url),
    requestHook(span, { method, url, routeOptions }) {
      span.updateName(routeOptions.url ? `${method} ${routeOptions.url}` : method);
      // Query strings may contain personal data.
      span.setAttribute('url.path', url.split('?', 1)[0] ?? '');
    },
  });
  instrumentation.setTracerProvider(provider);
  return {
    requestSpans: instrumentation.plugin(),
    traceStatement: statementTracer(),
    async close() {
      const sent = provider.shutdown().catch((error) => diag.error(error.message));
      await Promise.race([sent, sleep(closeMs, undefined, { ref: false })]);
    },
  };
}

/** The message of an error may contain the values of a request. A refused request is no error of the service. */
const withoutMessages: SpanProcessor = {
  onStart() {},
  onEnd() {},
  onEnding(span) {
    if (span.status.code !== SpanStatusCode.ERROR) return;
    const status = span.attributes['http.response.status_code'];
    const isRefused = typeof status === 'number' && status < 500;
    span.setStatus({ code: isRefused ? SpanStatusCode.OK : SpanStatusCode.ERROR });
  },
  forceFlush: async () => {},
  shutdown: async () => {},
};

/**
 * Statements outside of a request, such as those of workers that poll, begin no trace of their own. A span has the text
 * of its statement, never the values of its parameters.
 */
function statementTracer(): TraceStatement {
  const tracer = trace.getTracer('anagrafe', version);
  return ({ name, text }) => {
    if (trace.getActiveSpan() === undefined) return () => {};
    const span = tracer.startSpan(name ?? summaryOf(text), {
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.replace(/\s+/g, ' ').trim() },
    });
    return (error) => endSpan(span, error);
  };
}

function endSpan(span: Span, error: unknown): void {
  if (error !== null) {
    const { code, name } = error as { code?: string; name?: string };
    span.setAttribute('error.type', code ?? name ?? 'unknown');
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Returns the first word of a statement and its first table, such as `select anagrafe.users`. */
function summaryOf(text: string): string {
  const verb = /\w+/.exec(text)?.[0] ?? 'statement';
  const table = /\banagrafe(_queue)?\.\w+/.exec(text)?.[0];
  return table ? `${verb} ${table}` : verb;
}

function reportProblems(log: Logger): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (problem: string) => {
    if (performance.now() < reportedAt + reportEveryMs) return;
    reportedAt = performance.now();
    log.warn({ problem }, 'traces are incomplete');
  };
  const ignore = () => {};
  diag.setLogger({ error: report, warn: report, info: ignore, debug: ignore, verbose: ignore });
}
