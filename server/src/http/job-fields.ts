import { type Job, paceOf } from '../core/jobs/job.ts';

/** A job as it stands in an answer. */
export function jobFields(job: Job) {
  const { usersPerSecond, estimatedEnd } = paceOf(job, new Date());
  return {
    ID: job.id,
    ClientID: job.clientId,
    State: job.state,
    Operation: job.operation,
    Records: job.records,
    RecordsDone: job.recordsDone,
    RecordsFailed: job.recordsFailed,
    Users: job.users,
    UsersDone: job.usersDone,
    UsersPerSecond: usersPerSecond,
    SubmittedAt: job.submittedAt,
    StartedAt: job.startedAt,
    EndedAt: job.endedAt,
    EstimatedEnd: estimatedEnd,
  };
}
