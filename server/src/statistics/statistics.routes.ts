import { Type } from 'typebox';
import { answers, Count, Moment, recordPage } from '../http/answer-schemas.ts';
import { recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery, named, strictObject } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import type { HashingState } from '../passwords/hash-pool.ts';
import type { Span, Statistics, StatisticsStore } from './statistics.ts';

/** Registers `GET /statistics`: totals, recent activity and the state of the hash pool of this node. */
export function statisticsRoute(app: Api, statistics: StatisticsStore, hashing: HashingState): void {
  app.get(
    '/statistics',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'statistics',
        summary: 'How much there is, and how much was done lately',
        description:
          '`Hours` has the last 24, `Days` the last 30, by UTC, the one that is under way last. `Hashing` is that of the node that answers; all else is of the whole service.',
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

function hashingFields(hashing: HashingState) {
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
    { description: 'What was done in an hour or on a day' },
  ),
);
const Hashing = named(
  'Hashing',
  strictObject({
    WaitingInteractive: Count,
    WaitingBulk: Count,
    Running: Count,
    HashesPerSecond: Type.Number({ minimum: 0, description: 'made in the last ten seconds' }),
    Capacity: Type.Number({ minimum: 0, description: 'hashes per second that this node could make' }),
  }),
);
const StatisticsSchema = named(
  'Statistics',
  strictObject({
    Principals: Count,
    Users: Count,
    Sessions: Count,
    PendingRows: Count,
    JobsQueued: Count,
    JobsRunning: Count,
    Hours: Type.Array(SpanSchema),
    Days: Type.Array(SpanSchema),
    Hashing,
  }),
);

const statisticsAnswers = answers('The statistics', recordPage('StatisticsEnvelope', StatisticsSchema));
