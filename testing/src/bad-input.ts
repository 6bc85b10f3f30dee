import { request } from 'undici';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Envelope } from '../../server/src/http/envelope.ts';
import { codes } from '../../server/src/lib/error-codes.ts';
import type { Tuple } from '../../server/src/records/read/tuple.ts';
import { insertPrincipals, newUser, startTestService, type TestService } from './service.ts';

export const smallLimit = 65_536;
export const firstClient = `first.${'s'.repeat(40)}`;

export let service: TestService;
/** A second service that accepts at most `smallLimit` bytes per body, so that a small body exceeds the limit. */
export let small: TestService;
export let principal: number;
export let user: number;
let before: unknown;
export let logged = 0;

/** Starts the services in `beforeAll`; checks after each test that it changed no data and logged no error. */
export function useServices(): void {
  beforeAll(async () => {
    service = await startTestService();
    small = await startTestService({ ANAGRAFE_MAX_BODY_BYTES: String(smallLimit) });
    [principal = 0] = await insertPrincipals(service, 1);
    await insertPrincipals(small, 1);
    const answer = await service.call('irs/update', [{ ID: principal, Users: [newUser('present')] }], {
      headers: { prefer: 'return=representation' },
    });
    user = answer.body.result?.records[0]?.Item6.Users?.[0]?.ID ?? 0;
  });

  beforeEach(async () => {
    before = await stored();
    logged = service.log.length;
  });

  afterEach(async () => {
    // The service processes an aborted connection before it answers a later request.
    await (await fetch(`${service.url}/health/live`)).text();
    expect(await stored()).toEqual(before);
    const errorLines = service.log
      .slice(logged)
      .filter((line) => /"level":"(error|fatal)"|"status":5/.test(line));
    expect(errorLines).toEqual([]);
  });
}

/** Returns every row of principals and users, timestamps included, and the row counts. */
export async function stored(): Promise<unknown> {
  const { database } = service;
  return {
    principals: await database.query('select * from anagrafe.principals order by id'),
    users: await database.query('select * from anagrafe.users order by id'),
    counts: await database.query(
      'select kind, block, sum(amount)::int as amount from anagrafe.row_counts group by 1, 2 order by 1, 2',
    ),
  };
}

export interface Sent {
  body?: string | Buffer;
  headers?: Record<string, string>;
  method?: string;
  to?: TestService;
}

export interface Received {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** Sends a request without the checks of an API client. `path` is absolute or relative to `/api/sync/v1/`. */
export async function send(
  path: string,
  { body, headers, method = 'POST', to = service }: Sent,
): Promise<Received> {
  const url = path.startsWith('/') ? to.url + path : `${to.url}/api/sync/v1/${path}`;
  const answer = await request(url, {
    method: method as 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** Parses the envelope and asserts its fields, its status code and a status below 500. */
export function readEnvelope(answer: { status: number; text: string }): Envelope<Tuple> {
  const envelope = JSON.parse(answer.text) as Envelope<Tuple>;
  expect(Object.keys(envelope)).toEqual(['statusCode', 'errorCode', 'message', 'result', 'debug']);
  expect(envelope.statusCode).toBe(answer.status);
  expect(answer.status).toBeLessThan(500);
  return envelope;
}

/** Asserts the envelope of an `ApiError`, without result and debug part, and returns it. */
export function expectRefusal(
  answer: Pick<Received, 'status' | 'text'> | null,
  status: number,
  errorCode: string,
): Envelope<Tuple> {
  expect(answer).not.toBeNull();
  const envelope = readEnvelope(answer ?? { status: 0, text: '' });
  expect([envelope.statusCode, envelope.errorCode]).toEqual([status, errorCode]);
  expect(codes).toHaveProperty(errorCode);
  expect(envelope.result).toBeNull();
  expect(envelope.debug).toBeNull();
  expectSentence(envelope.message);
  return envelope;
}

/** Asserts a 422 answer with one failed record, and returns its field errors as pairs of place and code. */
export async function expectFieldErrors(answer: Received, errorCode: string): Promise<[string, string][]> {
  const envelope = readEnvelope(answer);
  expect([envelope.statusCode, envelope.errorCode]).toEqual([422, errorCode]);
  expectSentence(envelope.message);
  expect(envelope.result?.records).toHaveLength(1);
  const tuple = envelope.result?.records[0];
  expect(tuple).toMatchObject({ Item2: errorCode, Item3: false, Item6: {} });
  expectSentence(tuple?.Item4 ?? null);
  const errors = Object.entries(tuple?.Item5 ?? {});
  for (const [, found] of errors) for (const { message } of found) expectSentence(message);
  return errors.flatMap(([place, found]) => found.map(({ code }): [string, string] => [place, code]));
}

export function expectSentence(message: string | null): void {
  expect(message).toMatch(/^["A-Z/][^\n]{8,300}$/s);
  expect(message).not.toMatch(/undefined|NaN|\[object|\{\w+\}|\bat .*:\d+:\d+/);
}

export const registration = () => ({ ID: principal, Users: [newUser('never.stored')] });
export const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
