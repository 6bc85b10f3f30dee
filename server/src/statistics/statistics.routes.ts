import { Type } from 'typebox';
import { answers, Count, count, Moment, recordPage } from '../http/answer-schemas.ts';
import { recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery, named, strictObject } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import type { HashScheduler } from '../passwords/hash-scheduler.ts';
import type { Span, Statistics, StatisticsStore } from './statistics.ts';

/** Registers `GET /statistics`: totals, recent activity and the state of the hash pool of this node. */
export function statisticsRoute(app: Api, statistics: StatisticsStore, hashing: HashScheduler): void {
  app.get(
    '/statistics',
    {
      config: { permission: 'service.read' },
      schema: {
        operationId: 'statistics',
        summary: 'Get statistics',
        description:
          'Returns totals and recent activity. `Hours` has the last 24 hours, `Days` the last 30 days in UTC; the current one is last. `Hashing` is about the node that responds, everything else about the whole service.',
        tags: ['admin'],
        querystring: CallQuery,
        headers: CallHeaders,
        response: statisticsAnswers,
      },
    },
    async (request) =>
      recordEnvelope(
        { ...statisticsFields(await statistics.read()), Hashing: hashingFields(hashing) },
        debugOf(request),
      ),
  );
}

function statisticsFields(statistics: Statistics) {
  return {
    Principals: statistics.principals,
    Users: statistics.users,
    Sessions: statistics.sessions,
    PendingRows: statistics.unchained,
    JobsQueued: statistics.jobsQueued,
    JobsRunning: statistics.jobsRunning,
    Hours: statistics.hours.map(spanFields),
    Days: statistics.days.map(spanFields),
  };
}

function spanFields(span: Span) {
  return {
    Start: span.start,
    Calls: span.calls,
    Jobs: span.jobs,
    RecordsFailed: span.recordsFailed,
    PrincipalsInserted: span.principalsInserted,
    UsersRegistered: span.usersRegistered,
    PasswordsReset: span.passwordsReset,
  };
}

function hashingFields(hashing: HashScheduler) {
  return {
    WaitingInteractive: hashing.waiting('interactive'),
    WaitingBulk: hashing.waiting('bulk'),
    Running: hashing.running,
    HashesPerSecond: rounded(hashing.rate),
    Capacity: rounded(hashing.capacity),
  };
}

function rounded(figure: number): number {
  return Math.round(figure * 10) / 10;
}

const SpanSchema = named(
  'Span',
  strictObject(
    {
      Start: Moment,
      Calls: Count,
      Jobs: Count,
      RecordsFailed: Count,
      PrincipalsInserted: Count,
      UsersRegistered: Count,
      PasswordsReset: Count,
    },
    { description: 'The activity of one hour or day.' },
  ),
);
const Hashing = named(
  'Hashing',
  strictObject({
    WaitingInteractive: count('Queued passwords of sign-ins and of calls with one user.'),
    WaitingBulk: count('Queued passwords of larger calls and of jobs.'),
    Running: count('Passwords that are being hashed.'),
    HashesPerSecond: Type.Number({
      minimum: 0,
      description: 'Hashes per second, measured over the last ten seconds.',
    }),
    Capacity: Type.Number({ minimum: 0, description: 'Hashes per second that this node can compute.' }),
  }),
);
const StatisticsSchema = named(
  'Statistics',
  strictObject({
    Principals: Count,
    Users: Count,
    Sessions: count('Sessions of signed-in users.'),
    PendingRows: count('Rows of the audit log that are not in the hash chain yet.'),
    JobsQueued: Count,
    JobsRunning: Count,
    Hours: Type.Array(SpanSchema),
    Days: Type.Array(SpanSchema),
    Hashing,
  }),
);

const statisticsAnswers = answers('The statistics.', recordPage('StatisticsEnvelope', StatisticsSchema));
