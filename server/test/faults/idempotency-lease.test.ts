import { randomUUID } from 'node:crypto';
import { finished, importedUser } from '@anagrafe/testing/jobs';
import { plainRules, recordList } from '@anagrafe/testing/records';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import type { Database } from '../../src/db/database.ts';
import { listen } from '../../src/db/listen.ts';
import { KeyRing } from '../../src/encryption/key-ring.ts';
import { openIdempotencyStore } from '../../src/idempotency/idempotency.store.ts';
import type { Claim, Lease, StoredCall } from '../../src/idempotency/idempotency.ts';
import { createChunkQueue } from '../../src/jobs/chunk-queue.ts';
import { openSubmissions } from '../../src/jobs/submissions.store.ts';
import { submitJob } from '../../src/jobs/submit.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { openCheckStore } from '../../src/records/check/check.store.ts';
import { defaultOptions } from '../../src/records/check/operation.ts';
import { updateOperation } from '../../src/records/operations/update.ts';
import { openWriteStore } from '../../src/records/write/write-changes.store.ts';

type Held = Extract<Claim, { lease: Lease }>;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const claim = (call: StoredCall) =>
  openIdempotencyStore(service.database, { keyHours: 1 }).claim(call, randomUUID());

const callWith = (text: string): StoredCall => ({
  clientId: null,
  operation: 'update',
  run: null,
  key: { text, fingerprints: [Buffer.from(text)] },
  records: 1,
  users: 1,
});

/** Claims a call twice: the second claim succeeds because the lease of the first has expired. */
async function takenOver(text: string) {
  const call = callWith(text);
  const first = (await claim(call)) as Held;
  expect(first.state).toBe('new');
  expect((await claim(call)).state).toBe('running');
  await expireLease(first);
  const second = (await claim(call)) as Held;
  expect([second.state, second.callId]).toEqual(['resumed', first.callId]);
  return { call, first, second };
}

async function expireLease({ callId }: Held): Promise<void> {
  const expire = `update anagrafe.calls set lease_renewed_at = lease_renewed_at - interval '1 minute' where id = $1`;
  await service.database.query(expire, [callId]);
}

describe('the holder of a lease that has expired', () => {
  it('cannot free the key that another holder works on', async () => {
    const { call, first, second } = await takenOver('forget');
    await first.lease.discard();
    await first.lease.release();
    expect((await claim(call)).state).toBe('running');
    await second.lease.release();
    expect(await claim(call)).toMatchObject({ state: 'resumed', callId: first.callId });
  });

  it('cannot prevent a new claim by a renewal once the next lease has expired too', async () => {
    const { call, first, second } = await takenOver('keep');
    await expireLease(second);
    await first.lease.renew();
    expect((await claim(call)).state).toBe('resumed');
  });

  it('cannot submit the call as a job a second time', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const { first } = await takenOver('job');
    const queue = await openQueue({
      database: service.database,
      listen: (subscription) =>
        listen({ connectionString: service.config.DATABASE_URL ?? '' }, subscription, () => {}),
      onError: () => {},
    });
    await createChunkQueue(queue);
    const rules = plainRules;
    const operation = updateOperation(openCheckStore(service.database, null), rules);
    const tools = {
      writeStore: openWriteStore(service.database, 0),
      store: openSubmissions(service.database, queue, { jobs: 200, bytes: 1e9 }),
      keyRing: new KeyRing(Buffer.alloc(32, 'a key of its own')),
      hasher: { waitForInteractive: async () => {} },
    };
    const records = await recordList([{ ID, Users: [importedUser('taken over')] }]);
    const job = {
      id: first.callId,
      clientId: null,
      actor: operatorActor,
      records,
      earlierOutcomes: new Map(),
      options: defaultOptions,
      run: null,
      review: null,
      holdMemory: () => {},
    };
    expect(await submitJob(job, operation, tools)).toEqual([]);
    expect(await submitJob(job, operation, tools)).toBeNull();
    await finished(service, first.callId);
    expect(await submitJob(job, operation, tools)).toBeNull();
    await queue.stop();
  });
});

describe('the holder of a lease that is renewed', () => {
  it('keeps the call after every renewal', async () => {
    const call = callWith('long');
    const { lease, callId } = (await claim(call)) as Held;
    const almost = `update anagrafe.calls set lease_renewed_at = lease_renewed_at - interval '4 seconds' where id = $1`;
    for (let round = 0; round < 3; round++) {
      await Promise.all([lease.renew(), lease.renew()]);
      expect((await claim(call)).state).toBe('running');
    }
    await service.database.query(almost, [callId]);
    expect((await claim(call)).state).toBe('running');
  });

  it('frees the key of a call without outcomes, even while a renewal is in progress', async () => {
    const call = callWith('free');
    const { lease } = (await claim(call)) as Held;
    await Promise.all([lease.renew(), lease.discard()]);
    expect((await claim(call)).state).toBe('new');
  });

  it('recognises its lease when the answer to a renewal was lost', async () => {
    const call = callWith('lost answer');
    let losesAnswers = false;
    const database = {
      ...service.database,
      async query<Row extends object>(...statement: Parameters<Database['query']>): Promise<Row[]> {
        const rows = await service.database.query<Row>(...statement);
        if (losesAnswers) throw new Error('Connection terminated unexpectedly');
        return rows;
      },
    };
    const { lease } = (await openIdempotencyStore(database, { keyHours: 1 }).claim(
      call,
      randomUUID(),
    )) as Held;
    losesAnswers = true;
    await expect(lease.renew()).rejects.toThrow();
    losesAnswers = false;
    await lease.renew();
    expect((await claim(call)).state).toBe('running');
    losesAnswers = true;
    await expect(lease.renew()).rejects.toThrow();
    losesAnswers = false;
    await lease.release();
    expect((await claim(call)).state).toBe('resumed');
  });
});
