import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/clients/access.ts';
import { permissionsOfScopes, type Scope } from '../../src/clients/permissions.ts';
import { type Job, jobsSeenBy, paceOf } from '../../src/jobs/job.ts';

const start = new Date('2026-01-31T08:00:00Z');
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);

function job(more: Partial<Job>): Job {
  return {
    id: '00000000-0000-4000-8000-000000000000',
    clientId: 1,
    state: 'running',
    operation: 'update',
    records: 10,
    recordsDone: 5,
    recordsFailed: 1,
    users: 100,
    usersDone: 40,
    usersApplied: 30,
    recentUsers: 0,
    recentAt: null,
    submittedAt: later(-60),
    startedAt: start,
    endedAt: null,
    counts: null,
    ...more,
  };
}

describe('the pace of a job', () => {
  it('is null before the job starts', () => {
    const waiting = job({ state: 'queued', startedAt: null, usersDone: 40, usersApplied: 0 });
    expect(paceOf(waiting, later(10))).toEqual({ usersPerSecond: null, estimatedEnd: null });
  });

  it('is the number of users applied per second in about the last minute, from which the end is estimated', () => {
    // After hours at 3 users per second, the weighted number is 60 times that. 60 users are left.
    const steady = job({ startedAt: later(-36_000), recentUsers: 180, recentAt: later(10) });
    const { usersPerSecond, estimatedEnd } = paceOf(steady, later(10));
    expect(usersPerSecond).toBe(3);
    expect(estimatedEnd?.getTime()).toBeCloseTo(later(30).getTime(), -2);
  });

  it('is the average shortly after the start', () => {
    const { usersPerSecond } = paceOf(job({ recentUsers: 30, recentAt: later(2) }), later(2));
    expect(usersPerSecond).toBeGreaterThan(14.9);
    expect(usersPerSecond).toBeLessThan(15.4);
  });

  it('falls during an interruption, and recovers within minutes', () => {
    const interrupted = job({ startedAt: later(-36_000), recentUsers: 180, recentAt: later(0) });
    expect(paceOf(interrupted, later(120)).usersPerSecond).toBe(0.4);
    const resumed = { ...interrupted, recentUsers: 180 * Math.exp(-62) + 3 * 120, recentAt: later(3720) };
    expect(paceOf(resumed, later(3720)).usersPerSecond).toBeGreaterThan(3);
  });

  it('is the average until the first chunk has ended', () => {
    // 30 users in 10 seconds are 3 per second, and 60 users are left.
    expect(paceOf(job({}), later(10))).toEqual({ usersPerSecond: 3, estimatedEnd: later(30) });
  });

  it('is 0 without an estimated end while no user was applied', () => {
    for (const now of [later(0), later(10), later(-1)])
      expect(paceOf(job({ usersApplied: 0 }), now)).toEqual({ usersPerSecond: 0, estimatedEnd: null });
  });

  it('does not change after the job has ended', () => {
    for (const state of ['completed', 'cancelled'] as const) {
      const ended = job({ state, endedAt: later(20), usersDone: 100, usersApplied: 80 });
      expect(paceOf(ended, later(1000))).toEqual({ usersPerSecond: 4, estimatedEnd: null });
    }
  });

  it('has no estimated end if the job is cancelled but has not ended', () => {
    const cancelled = job({ state: 'cancelled', recentUsers: 30, recentAt: later(10) });
    expect(paceOf(cancelled, later(10)).estimatedEnd).toBeNull();
  });
});

describe('the jobs that a caller sees', () => {
  const caller = (clientId: number | null, ...scopes: Scope[]): Caller => {
    const common = {
      user: null,
      name: 'someone',
      permissions: permissionsOfScopes(scopes, null),
      tags: null,
    };
    return clientId === null
      ? { kind: 'protected', clientId, ...common }
      : { kind: 'client', clientId, ...common };
  };

  it('are its own, and for the scope admin all jobs', () => {
    expect(jobsSeenBy(caller(3, 'sync:write', 'sync:read'))).toEqual({ clientId: 3, callerTags: null });
    expect(jobsSeenBy(caller(3))).toEqual({ clientId: 3, callerTags: null });
    expect(jobsSeenBy(caller(3, 'admin'))).toEqual({ clientId: 'any', callerTags: null });
    expect(jobsSeenBy(caller(null, 'sync:write', 'sync:read', 'admin'))).toEqual({
      clientId: 'any',
      callerTags: null,
    });
  });
});
