import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openReadiness } from '../../src/storage/readiness.ts';
import { startTestService, type TestService } from '../setup/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** The real database, with a note of how often it was asked. */
function counted(): { database: Database; asked: () => number } {
  let asked = 0;
  const { database } = service;
  return {
    asked: () => asked,
    database: {
      ...database,
      query(sql, values) {
        asked++;
        return database.query(sql, values);
      },
    },
  };
}

it('asks the database once for all that ask within half a second, and then again', async () => {
  const { database, asked } = counted();
  const readiness = openReadiness(database);
  const answers = await Promise.all(Array.from({ length: 500 }, () => readiness.check()));
  expect(new Set(answers)).toEqual(new Set([null]));
  expect(asked()).toBe(1);
  const askAgain = async () => {
    expect(await readiness.check()).toBeNull();
    return asked();
  };
  await expect.poll(askAgain).toBe(2);
});

it('is not ready once a stop is under way, whatever the database said before', async () => {
  const { database, asked } = counted();
  const readiness = openReadiness(database);
  expect(await readiness.check()).toBeNull();
  readiness.stopping();
  expect(await readiness.check()).toBe('The service is stopping.');
  expect(asked()).toBe(1);
});
