import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { recordList } from '@anagrafe/testing/records';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { applyNow } from '../../src/calls/apply-now.ts';
import { openCallStore } from '../../src/calls/calls.store.ts';
import { openBlocklist } from '../../src/passwords/blocklist.ts';
import { HashPool } from '../../src/passwords/hash-pool.ts';
import { codeIssuer } from '../../src/passwords/password-code.ts';
import { defaultOptions } from '../../src/records/check/operation.ts';
import { openRecords } from '../../src/records/open-records.ts';

let service: TestService;
let hasher: HashPool;
beforeAll(async () => {
  service = await startTestService();
  hasher = new HashPool({ concurrency: 1, memoryKib: 64, passes: 1, maxWaitSeconds: 60 });
});
afterAll(() => hasher.close());

/** Returns true if a job that asks now has to wait for a more urgent call. */
async function jobsWait(): Promise<boolean> {
  return Promise.race([hasher.waitForInteractive().then(() => false), nextTurn(true)]);
}

it('jobs wait until the end of a call with a single password is stored', async () => {
  const [ID = 0] = await insertPrincipals(service, 1);
  const calls = openCallStore(service.database);
  const id = randomUUID();
  const { database, config } = service;
  const blocklist = await openBlocklist(null);
  const records = openRecords({ database, exports: database, config, blocklist, sendsMail: false });
  const waiting: boolean[] = [];
  const limit = { records: 1, users: 1 };
  const own = { id, clientId: null, operation: 'update', run: null } as const;
  const call = {
    ...own,
    body: null,
    key: null,
    dryRun: false,
    async: false,
    planned: null,
    signal: new AbortController().signal,
    records: await recordList([{ ID, Users: [newUser('urgent')] }]),
    actor: operatorActor,
    unstoredCall: { ...own, records: 1, users: 1 },
    earlierOutcomes: new Map(),
    review: null,
    options: defaultOptions,
    holdMemory: () => {},
    report: () => {},
  };
  const answered = await applyNow(call, {
    ...records,
    hasher,
    issueCode: codeIssuer({ days: 7, publicUrl: null }),
    calls: {
      ...calls,
      async complete(...completed) {
        waiting.push(await jobsWait());
        await calls.complete(...completed);
        waiting.push(await jobsWait());
      },
    },
    limits: { answered: limit, job: limit },
    onOutcomes: () => {},
  });
  expect(answered.outcomes).toMatchObject([{ id: ID, error: null }]);
  expect(waiting).toEqual([true, true]);
  expect(await jobsWait()).toBe(false);
});
