import { postmasterOf } from '@anagrafe/testing/embedded-postgres';
import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import { importedUser } from '@anagrafe/testing/jobs';
import type { Answer, TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { expect } from 'vitest';

export async function status(service: TestService, path: string): Promise<number> {
  const answer = await fetch(service.url + path);
  await answer.text();
  return answer.status;
}

/**
 * Waits until the service is ready and answers a call from its database. Readiness alone is not enough: the service
 * reuses the last answer of the database for half a second, even if the database has stopped since.
 */
export async function untilReady(service: TestService): Promise<void> {
  await expect.poll(() => status(service, '/health/ready')).toBe(200);
  await expect.poll(async () => (await service.call('irs/list', {})).status).toBe(200);
}

/** Waits until a new PostgreSQL has replaced the process `pid`, and the service works with it. */
export async function untilRestarted(service: TestService, pid: number): Promise<void> {
  await until(async () => ![undefined, pid].includes(await postmasterOf(service.config.DATA)));
  await untilReady(service);
}

/** Reads the stored usernames; retries, because the failure may have broken the connections of the test too. */
export async function stored(service: TestService): Promise<Set<string>> {
  await expect.poll(() => storedUsernames(service.database).then(Boolean, () => false)).toBe(true);
  expect(await wrongFigures(service.database)).toEqual([]);
  return storedUsernames(service.database);
}

export interface Sent {
  readonly records: readonly { ID: number; Users: readonly { Username: string }[] }[];
  readonly answer: Answer;
}

/** Builds one record per principal, with three users whose usernames begin with `prefix`. */
export function recordsOf(principals: readonly number[], prefix: string) {
  return principals.map((ID) => ({
    ID,
    Users: ['a', 'b', 'c'].map((name) => importedUser(`${prefix} ${ID} ${name}`)),
  }));
}

/** The error code of the whole call for each possible HTTP status. */
const codeOf: Record<number, string | null> = {
  200: null,
  207: 'PARTIALLY_APPLIED',
  500: 'OUTCOME_UNKNOWN',
  503: 'UNAVAILABLE',
};

/** Compares each tuple with the stored usernames, and returns the number of records by outcome code. */
export function compare(sent: readonly Sent[], names: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { records, answer } of sent) {
    const { status, headers, body } = answer;
    expect(body.statusCode).toBe(status);
    expect([status, body.errorCode]).toEqual([status, codeOf[status]]);
    const codes = (body.result?.records ?? []).map((tuple) => tuple.Item2);
    if (status === 500) expect(codes).toContain('OUTCOME_UNKNOWN');
    if (status === 503) {
      expect(codes.filter((code) => code !== 'NOT_APPLIED')).toEqual([]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    for (const [n, { Users }] of records.entries()) {
      const tuple = body.result?.records[n];
      const outcome = tuple?.Item2 ?? (tuple ? 'applied' : 'UNAVAILABLE');
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      const present = Users.filter(({ Username }) => names.has(Username)).length;
      const possible = {
        applied: [Users.length],
        UNAVAILABLE: [0],
        NOT_APPLIED: [0],
        OUTCOME_UNKNOWN: [0, Users.length],
      }[outcome as string];
      expect({ outcome, present, possible }).toEqual({ outcome, present, possible: expect.any(Array) });
      expect(possible).toContain(present);
    }
  }
  return counts;
}
