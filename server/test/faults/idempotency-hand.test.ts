import { beforeAll, describe, expect, it } from 'vitest';
import type { Claim, Hand, KeyedCall } from '../../src/core/calls/ledger.ts';
import { submitJob } from '../../src/core/jobs/submit.ts';
import { theOperator } from '../../src/core/journal/journal.ts';
import { updateOperation } from '../../src/core/records/update.ts';
import { Vault } from '../../src/core/sealing/vault.ts';
import { openQueue } from '../../src/jobs/queue.ts';
import type { Database } from '../../src/storage/database.ts';
import { openLedger } from '../../src/storage/ledger.ts';
import { openRegistry } from '../../src/storage/registry.ts';
import { openSubmissions } from '../../src/storage/submissions.ts';
import { finished, importedUser } from '../setup/jobs.ts';
import { recordList } from '../setup/records.ts';
import { insertPrincipals, startTestService, type TestService } from '../setup/service.ts';

type Held = Extract<Claim, { hand: Hand }>;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const claim = (call: KeyedCall) => openLedger(service.database, { keyHours: 1 }).claim(call);

/** Claims a call twice: the second claim succeeds because the lease of the first has expired. */
async function takenOver(text: string) {
  const key = { text, fingerprint: Buffer.from(text) };
  const call: KeyedCall = { clientId: null, operation: 'update', key };
  const first = (await claim(call)) as Held;
  expect(first.state).toBe('new');
  expect((await claim(call)).state).toBe('running');
  await silence(first);
  const second = (await claim(call)) as Held;
  expect([second.state, second.callId]).toEqual(['resumed', first.callId]);
  return { call, first, second };
}

async function silence({ callId }: Held): Promise<void> {
  const back = `update anagrafe.calls set in_hand_at = in_hand_at - interval '1 minute' where id = $1`;
  await service.database.query(back, [callId]);
}

describe('the holder of a lease that has expired', () => {
  it('cannot free the key that another holder works on', async () => {
    const { call, first, second } = await takenOver('forget');
    await first.hand.forget();
    await first.hand.giveUp();
    expect((await claim(call)).state).toBe('running');
    await second.hand.giveUp();
    expect(await claim(call)).toMatchObject({ state: 'resumed', callId: first.callId });
  });

  it('cannot keep the call from being claimed once the new lease has expired too', async () => {
    const { call, first, second } = await takenOver('keep');
    await silence(second);
    await first.hand.keep();
    expect((await claim(call)).state).toBe('resumed');
  });

  it('cannot submit the call as a job that was submitted before', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const { first } = await takenOver('job');
    const queue = await openQueue({ database: service.database, chunksAtOnce: 1, onError: () => {} });
    const rules = { requireEmail: false, password: { minLength: 8, isCommon: () => false } };
    const operation = updateOperation(openRegistry(service.database), rules);
    const tools = {
      store: openSubmissions(service.database, queue),
      vault: new Vault(Buffer.alloc(32, 'a key of its own')),
    };
    const records = await recordList([{ ID, Users: [importedUser('taken over')] }]);
    const job = { id: first.callId, clientId: null, author: theOperator, records, done: new Set<number>() };
    expect(await submitJob(job, operation, tools)).toEqual([]);
    expect(await submitJob(job, operation, tools)).toBeNull();
    await finished(service, first.callId);
    expect(await submitJob(job, operation, tools)).toBeNull();
    await queue.stop();
  });
});

describe('the holder of a lease that is renewed', () => {
  it('keeps the call with every renewal', async () => {
    const key = { text: 'long', fingerprint: Buffer.from('long') };
    const call: KeyedCall = { clientId: null, operation: 'update', key };
    const { hand, callId } = (await claim(call)) as Held;
    const almost = `update anagrafe.calls set in_hand_at = in_hand_at - interval '4 seconds' where id = $1`;
    for (let round = 0; round < 3; round++) {
      await Promise.all([hand.keep(), hand.keep()]);
      expect((await claim(call)).state).toBe('running');
    }
    await service.database.query(almost, [callId]);
    expect((await claim(call)).state).toBe('running');
  });

  it('frees the key of a call without outcomes, even while a renewal is in progress', async () => {
    const key = { text: 'free', fingerprint: Buffer.from('free') };
    const call: KeyedCall = { clientId: null, operation: 'update', key };
    const { hand } = (await claim(call)) as Held;
    await Promise.all([hand.keep(), hand.forget()]);
    expect((await claim(call)).state).toBe('new');
  });

  it('the holder of a lease recognises it when the answer to a renewal was lost', async () => {
    const key = { text: 'lost answer', fingerprint: Buffer.from('lost answer') };
    const call: KeyedCall = { clientId: null, operation: 'update', key };
    let losesAnswers = false;
    const database = {
      ...service.database,
      async query<Row extends object>(...statement: Parameters<Database['query']>): Promise<Row[]> {
        const rows = await service.database.query<Row>(...statement);
        if (losesAnswers) throw new Error('Connection terminated unexpectedly');
        return rows;
      },
    };
    const { hand } = (await openLedger(database, { keyHours: 1 }).claim(call)) as Held;
    losesAnswers = true;
    await expect(hand.keep()).rejects.toThrow();
    losesAnswers = false;
    await hand.keep();
    expect((await claim(call)).state).toBe('running');
    losesAnswers = true;
    await expect(hand.keep()).rejects.toThrow();
    losesAnswers = false;
    await hand.giveUp();
    expect((await claim(call)).state).toBe('resumed');
  });
});
