import { allHashed } from '@anagrafe/testing/audit-chain';
import { type Receiver, startReceiver } from '@anagrafe/testing/receiver';
import { getText, insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { subscribe } from '@anagrafe/testing/webhooks';
import { beforeAll, expect, it } from 'vitest';
import type { CloudEvent } from '../../src/audit/events.ts';
import { examineStore } from '../../src/cli/doctor/database.ts';
import type { Finding } from '../../src/cli/doctor/findings.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_WEBHOOK_WAITS: '3600',
  });
});

const typesOf = ({ received }: Receiver) => received.map(({ body }) => (JSON.parse(body) as CloudEvent).type);

async function hashChainFinding(): Promise<Finding | undefined> {
  const findings: Finding[] = [];
  for await (const found of examineStore(service.config, { withKey: false })) findings.push(found);
  return findings.find(({ check }) => check === 'audit log');
}

/** Returns the value of a metric, with its labels. */
async function metric(name: string): Promise<number> {
  const { text } = await getText(service, '/metrics');
  const line = text.split('\n').find((found) => found.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

it('while the hash chain fails, retries and deliveries of hashed rows are sent, and metrics and doctor show the failure', async () => {
  const { database } = service;
  const [failing, behind] = [await startReceiver(), await startReceiver()];
  failing.answer = () => 500;
  const types = ['principal.inserted'] as const;
  const { id: failingId } = await subscribe(service, failing.url, { types });
  await insertPrincipals(service, 1);
  await allHashed(service);
  const failed = async () =>
    (
      await database.query(
        `select from anagrafe.deliveries where webhook_id = $1 and state = 'pending' and attempts = 1`,
        [failingId],
      )
    ).length;
  await until(async () => (await failed()) === 1);
  const { id: behindId } = await subscribe(service, behind.url, { types });
  await allHashed(service);

  await database.query(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before update on anagrafe.audit_chain execute function public.refuse()`);
  await insertPrincipals(service, 1);
  // The retry becomes due, and the other webhook has to catch up with rows that are in the hash chain.
  failing.answer = () => 204;
  await database.query('update anagrafe.deliveries set next_at = now() where webhook_id = $1', [failingId]);
  await database.query('update anagrafe.webhooks set position = 0 where id = $1', [behindId]);
  await until(() => failing.received.length === 2 && behind.received.length === 1);
  expect([typesOf(failing), typesOf(behind)]).toEqual([['principal.inserted', 'principal.inserted'], types]);

  const failures = 'anagrafe_background_failures_total{task="hash_chain"}';
  await until(async () => (await metric(failures)) > 0);
  await until(async () => (await metric('anagrafe_audit_pending_rows')) === 2);

  await database.query(`update anagrafe.audit_log set at = at - interval '2 minutes' where position is null`);
  expect(await hashChainFinding()).toMatchObject({ code: 'hash_chain_behind', fields: { rows: 2 } });

  await database.query('drop trigger refuse on anagrafe.audit_chain');
  await until(() => failing.received.length === 3 && behind.received.length === 2);
  expect((await hashChainFinding())?.code).toBe('hash_chain_current');
});
