import { adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { finished, holding, importedUser, type Job, principalLock, submit } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeEach, describe, expect, it } from 'vitest';

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let erp: Credential;
let principals: number[];
let serial = 0;

// The queue serves clients in round-robin order: each test needs its own service, so that the order starts fresh.
beforeEach(async () => {
  service = await startTestService();
  admin = adminOf(service);
  principals = await insertPrincipals(service, 2);
  office = await credential(service);
  erp = await credential(service, { name: 'erp', scopes: ['sync:write'] });
});

const send = (principal: number | undefined, client: Credential) =>
  submit(service, 'irs/update', [{ ID: principal, Users: [importedUser(`job ${++serial}`)] }], client);

async function read(query: string) {
  const { status, body } = await admin<Job>(`GET jobs${query}`, office);
  expect(status).toBe(200);
  return { jobs: body.result?.records ?? [], totalCount: body.result?.totalCount };
}

describe('the list of jobs of all clients', () => {
  it('contains with open=true the running jobs, then the queued jobs in queue order', async () => {
    const [one, two] = principals;
    await finished(service, await send(one, erp), office);
    const sent = await holding(service, principalLock(...principals), async ({ blocked }) => {
      // A node runs two jobs at once. The test sends the second after the first has started, because a node may start
      // jobs that it finds together in any order.
      const running = [await send(one, erp)];
      await blocked(1);
      running.push(await send(two, erp));
      await blocked(2);
      const next = await send(one, erp);
      const last = await send(two, erp);
      // Round-robin order: the first job of another client comes before the second one of this client.
      const between = await send(one, office);
      const waiting = [next, between, last];
      const { jobs, totalCount } = await read('?open=true');
      expect(jobs.map(({ ID }) => ID)).toEqual([...running, ...waiting]);
      expect(jobs.map(({ State }) => State)).toEqual(['running', 'running', 'queued', 'queued', 'queued']);
      expect(totalCount).toBe(5);
      const second = await read('?open=true&pageSize=2&page=2');
      expect(second.jobs.map(({ ID }) => ID)).toEqual([next, between]);
      expect((await read('')).totalCount).toBe(6);
      return [...running, ...waiting];
    });
    for (const id of sent) await finished(service, id, office);
    expect(await read('?open=true')).toEqual({ jobs: [], totalCount: 0 });
  });

  it('contains the client of each job', async () => {
    const ids = [await send(principals[0], erp), await send(principals[0], office)];
    const { jobs } = await read('?pageSize=2');
    expect(jobs.map(({ ID }) => ID)).toEqual(ids.toReversed());
    const [{ body: all }] = await Promise.all([
      admin<{ ID: number; PublicKey: string }>('GET clients', office),
      ...ids.map((id) => finished(service, id, office)),
    ]);
    const keyOf = (id: number | null) => all.result?.records.find(({ ID }) => ID === id)?.PublicKey;
    expect(jobs.map(({ ClientID }) => keyOf(ClientID))).toEqual([office.SyncPublicKey, erp.SyncPublicKey]);
  });

  it('contains with failed=true the jobs with failed records, including running jobs', async () => {
    const [one] = principals;
    const missing = { ID: 999_999, Users: [importedUser('unknown')] };
    const ended = await submit(service, 'irs/update', [missing], erp);
    await finished(service, ended, office);
    const running = await holding(service, principalLock(...principals), async ({ blocked }) => {
      const records = [missing, { ID: one, Users: [importedUser('known')] }];
      const failing = await submit(service, 'irs/update', records, erp);
      await send(one, erp);
      await blocked(1);
      const { jobs, totalCount } = await read('?failed=true');
      expect(jobs.map(({ ID }) => ID)).toEqual([failing, ended]);
      expect(totalCount).toBe(2);
      expect((await read('?failed=true&open=true')).jobs.map(({ ID }) => ID)).toEqual([failing]);
      return failing;
    });
    await finished(service, running, office);
    expect((await read('?failed=true')).jobs.map(({ ID }) => ID)).toEqual([running, ended]);
  });
});
