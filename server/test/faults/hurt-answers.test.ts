import { finished, importedUser, jobOf, submit } from '@anagrafe/testing/jobs';
import { insertPrincipals } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectTruth, type HurtService, startHurtService } from './hurt-answers.ts';
import { faultNames } from './hurting-proxy.ts';

const unkeyed = { operation: 'register', keyed: false };
const keyed = { operation: 'register', keyed: true };

const writesUsers = (text: string) => text.includes('insert into anagrafe.users');
const commitsCall = (text: string, isOfCall: boolean) => isOfCall && text === 'commit';
const beginsCall = (text: string, isOfCall: boolean) => isOfCall && text.startsWith('begin');

describe.each([
  { transport: 'plain TCP', tls: false, faults: faultNames },
  // The rounds hurt every statement by every fault over both.
  { transport: 'TLS', tls: true, faults: ['a TLS alert', 'a flipped byte'] as const },
])('a service that reaches PostgreSQL over $transport', ({ tls, faults }) => {
  let tested: HurtService;
  beforeAll(async () => {
    tested = await startHurtService({ tls });
  });

  describe.each(faults)('and gets %s', (fault) => {
    it('does not say that a committed record has failed', async () => {
      const hurt = { fault, when: 'after', nth: 1, seed: 0, concerns: writesUsers } as const;
      const { body } = await expectTruth(tested, unkeyed, hurt);
      // Null if the transaction was committed before the call read its outcome.
      expect(['OUTCOME_UNKNOWN', null]).toContain(body.result?.records[0]?.Item2);
      expect(tested.proxy.isArmed()).toBe(false);
    });

    it('does not say that a record has failed if only its commit is not confirmed', async () => {
      await expectTruth(tested, unkeyed, { fault, when: 'after', nth: 1, seed: 0, concerns: commitsCall });
      expect(tested.proxy.hit()).toEqual({ text: 'commit', mayBeStored: true });
    });

    it('says that nothing was applied if its transaction has not begun', async () => {
      const hurt = { fault, when: 'after', nth: 1, seed: 0, concerns: beginsCall } as const;
      const { status, body } = await expectTruth(tested, unkeyed, hurt);
      expect([status, body.result?.records[0]?.Item2]).toEqual([503, 'NOT_APPLIED']);
    });

    it('applies the record of a call with a key once, if the client sends it again', async () => {
      for (const when of ['before', 'after'] as const)
        await expectTruth(tested, keyed, { fault, when, nth: 1, seed: 0, concerns: writesUsers });
      expect(tested.proxy.isArmed()).toBe(false);
    });

    it('answers a read with 503, and the next one with 200 on another connection', async () => {
      tested.proxy.arm({
        fault,
        when: 'after',
        nth: 1,
        seed: 0,
        concerns: (text) => text.includes('from anagrafe.principals'),
      });
      expect((await tested.service.call('irs/list', {})).status).toBe(503);
      for (let n = 0; n < 3; n++) expect((await tested.service.call('irs/list', {})).status).toBe(200);
    });

    it('opens another connection if that happens while it connects', async () => {
      tested.proxy.closeAll();
      tested.proxy.armConnect(fault);
      await expect
        .poll(async () => [(await tested.service.call('irs/list', {})).status, tested.proxy.isArmed()])
        .toEqual([200, false]);
    });
  });

  it.each(['an unknown message', 'a flipped byte'] as const)(
    'applies the record of a job although it got %s instead of the answer to the first statement',
    async (fault) => {
      const [ID] = await insertPrincipals(tested.service, 1);
      tested.proxy.arm({ fault, when: 'before', nth: 1, seed: 0, concerns: writesUsers });
      const job = await submit(tested.service, 'irs/update', [{ ID, Users: [importedUser(`job ${fault}`)] }]);
      expect(jobOf(await finished(tested.service, job))).toMatchObject({ RecordsDone: 1, RecordsFailed: 0 });
      expect(tested.proxy.isArmed()).toBe(false);
    },
  );
});
