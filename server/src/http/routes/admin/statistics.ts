import type { FastifyInstance } from 'fastify';
import type { Span, Statistics, StatisticsStore } from '../../../core/statistics/statistics.ts';
import { debugOf } from '../../call.ts';
import { recordEnvelope } from '../../envelope.ts';
import type { HashingState } from '../../metrics.ts';
import { statisticsAnswers } from '../../schemas/admin.ts';
import { CallHeaders, CallQuery } from '../../schemas/requests.ts';

interface StatisticsTools {
  readonly statistics: StatisticsStore;
  readonly hashing: HashingState;
}

/** `statistics`: how much there is, and how much was done lately. */
export function statisticsRoute(app: FastifyInstance, { statistics, hashing }: StatisticsTools): void {
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
    UnsealedRows: statistics.unsealed,
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
