import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { onceClosed } from './http/connections.ts';
import { Sums } from './lib/sums.ts';
import type { HashScheduler, Lane } from './passwords/hash-scheduler.ts';
import type { OperationName } from './records/parse/parsed-record.ts';
import type { Outcome } from './records/write/outcome.ts';

export const backgroundTasks = [
  'hash_chain',
  'webhook_deliveries',
  'webhook_retries',
  'mails',
  'retention',
  'metrics',
  'backup',
  'log_archive',
  'erasure_log',
  'master_key',
] as const;
export type BackgroundTask = (typeof backgroundTasks)[number];

export type Metrics = ReturnType<typeof openMetrics>;

export function openMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Histogram({
    name: 'anagrafe_call_duration_seconds',
    help: 'Duration of HTTP requests in seconds, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  /** Finding the series by its labels takes most of the time of an observation. */
  const seriesOfCalls = new Map<string, ReturnType<typeof calls.labels>>();
  const records = new Counter({
    name: 'anagrafe_records_total',
    help: 'Records by operation and outcome: applied, or the error code.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const users = new Counter({
    name: 'anagrafe_users_total',
    help: 'Users by operation: registered, password reset, state set, edited, moved, deleted.',
    labelNames: ['operation'],
    registers,
  });
  const hashes = new Histogram({
    name: 'anagrafe_hash_duration_seconds',
    help: 'Duration of password hashes in seconds, by lane.',
    labelNames: ['lane'],
    buckets: [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28],
    registers,
  });
  const failures = new Counter({
    name: 'anagrafe_background_failures_total',
    help: 'Failed runs of background tasks, by task.',
    labelNames: ['task'],
    registers,
  });
  for (const task of backgroundTasks) failures.inc({ task }, 0);
  const mails = new Counter({
    name: 'anagrafe_mails_total',
    help: 'Attempts to send a mail, by kind and result: sent, pending (it is tried again) or failed.',
    labelNames: ['kind', 'result'],
    registers,
  });
  const pendingAuditRows = new Gauge({
    name: 'anagrafe_audit_pending_rows',
    help: 'Rows of the audit log that are not in the hash chain yet, up to 10,000.',
    registers,
  });
  const lastBackup = new Gauge({
    name: 'anagrafe_last_backup_timestamp_seconds',
    help: 'Time of the newest scheduled backup, in seconds since 1970; 0 if there is none.',
    registers,
  });
  const overdueRows = new Gauge({
    name: 'anagrafe_retention_overdue_rows',
    help: 'Rows whose retention ended more than 3 hours ago and that still exist, by kind, up to 10,000.',
    labelNames: ['kind'],
    registers,
  });
  return {
    registry,
    taskFailed: (task: BackgroundTask) => failures.inc({ task }),
    mailAttempted: (kind: string, result: string) => mails.inc({ kind, result }),
    setLastBackup: (takenAt: Date) => lastBackup.set(takenAt.getTime() / 1000),
    setPendingAuditRows: (rows: number) => pendingAuditRows.set(rows),
    setOverdueRows(rows: Readonly<Record<string, number>>) {
      for (const [kind, count] of Object.entries(rows)) overdueRows.set({ kind }, count);
    },
    hashed: (lane: Lane, seconds: number) => hashes.observe({ lane }, seconds),
    answered(route: string, method: string, status: number, seconds: number) {
      const key = `${status} ${method} ${route}`;
      const series = seriesOfCalls.get(key) ?? calls.labels({ route, method, status });
      seriesOfCalls.set(key, series);
      series.observe(seconds);
    },
    recordsDone(operation: OperationName, outcomes: readonly Outcome[]) {
      const results = new Sums();
      const kinds = new Sums();
      for (const { error, users: done } of outcomes) {
        results.add(error?.code ?? 'applied', 1);
        for (const user of done) if (user.operation !== 'none') kinds.add(user.operation, 1);
      }
      for (const [outcome, count] of results.entries()) records.inc({ operation, outcome }, count);
      for (const [kind, count] of kinds.entries()) users.inc({ operation: kind }, count);
    },
    watch(hashing: HashScheduler) {
      new Gauge({
        name: 'anagrafe_hash_lane_length',
        help: 'Passwords in the queue to be hashed, by lane.',
        labelNames: ['lane'],
        registers,
        collect() {
          this.set({ lane: 'interactive' }, hashing.waiting('interactive'));
          this.set({ lane: 'bulk' }, hashing.waiting('bulk'));
        },
      });
      gauge(registers, 'anagrafe_hashes_running', 'Passwords that are being hashed.', () => hashing.running);
      const capacityHelp = 'Hashes per second that this node can compute.';
      gauge(registers, 'anagrafe_hash_capacity', capacityHelp, () => hashing.capacity);
    },
  };
}

function gauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}

const maxPathLength = 200;

/** The status in the log and the metrics if the client closed the connection before it had its answer. */
const clientLeft = 499;

/** Logs and measures each request. Headers, bodies and query strings may contain secrets and are not logged. */
export function logCalls(app: FastifyInstance, metrics: Metrics): void {
  function logCall(request: FastifyRequest, reply: FastifyReply, status: number): void {
    const { method, ip, caller } = request;
    const route = request.routeOptions.url ?? 'none';
    metrics.answered(route, method, status, reply.elapsedTime / 1000);
    const path = (request.url.split('?', 1)[0] ?? '').slice(0, maxPathLength);
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method, path, status, ms, ip, client: caller?.name }, 'call');
  }
  app.addHook('onRequest', (request, reply, done) => {
    onceClosed(reply.raw, () => {
      if (!reply.raw.writableFinished) logCall(request, reply, clientLeft);
    });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    logCall(request, reply, reply.statusCode);
    done();
  });
}
