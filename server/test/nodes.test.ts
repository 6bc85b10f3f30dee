import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../src/audit/audit-log.ts';
import { openClientStore } from '../src/clients/clients.store.ts';
import { createClient, revokeClient } from '../src/clients/clients.ts';

type Nodes = readonly [TestService, TestService];
let nodes: Nodes;

beforeAll(async () => {
  nodes = await startNodes();
});

async function startNodes(): Promise<Nodes> {
  const first = await startTestService();
  return [first, await startTestService({ ANAGRAFE_DATABASE_URL: first.config.DATABASE_URL ?? '' })];
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Expects correct counters and no warning or error in the log of either node. */
async function expectNoProblems(): Promise<void> {
  expect(await wrongFigures(nodes[0].database)).toEqual([]);
  for (const { log } of nodes)
    expect(log.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);
}

describe('two services on one database', () => {
  it('give each username to one caller when both receive it at the same time', async () => {
    const names = range(40);
    const principals = await insertPrincipals(nodes[0], 2);
    const calls = names.flatMap((n) =>
      nodes.map((node, at) => ({
        n,
        answer: node.call('irs/update', [
          { ID: principals[at], Users: [newUser(at === 0 ? `Wanted ${n}` : `wANTED ${n}`)] },
        ]),
      })),
    );
    const winners = new Map<number, number>();
    for (const { n, answer } of calls) {
      const { status, body } = await answer;
      if (status === 200) winners.set(n, (winners.get(n) ?? 0) + 1);
      else expect([status, body.errorCode]).toEqual([422, 'USERNAME_TAKEN']);
    }
    expect([...winners].toSorted(([a], [b]) => a - b)).toEqual(names.map((n) => [n, 1]));
    const all = [...(await storedUsernames(nodes[0].database))].map((name) => name.toLowerCase());
    const stored = all.filter((name) => name.startsWith('wanted'));
    expect(stored.toSorted()).toEqual(names.map((n) => `wanted ${n}`).toSorted());
    await expectNoProblems();
  });

  it('apply each record of two conflicting calls whole and in only one of them', async () => {
    const principals = await insertPrincipals(nodes[1], 20);
    const records = (node: number) =>
      principals.map((ID, n) => {
        const users = ['a', 'b', 'c'].map((part) => newUser(`crossing ${n} ${part}`));
        return { ID, Users: node === 0 ? users : users.toReversed() };
      });
    const answers = await Promise.all(
      nodes.map((node, at) => node.call('irs/update', at === 0 ? records(at) : records(at).toReversed())),
    );
    const codes = answers.map(({ body }, at) => {
      const tuples = body.result?.records ?? [];
      return (at === 0 ? tuples : tuples.toReversed()).map((tuple) => tuple.Item2);
    });
    for (const n of range(20))
      expect([codes[0]?.[n], codes[1]?.[n]].toSorted()).toEqual(['USERNAME_TAKEN', null].toSorted());
    const stored = await storedUsernames(nodes[0].database);
    expect([...stored].filter((name) => name.startsWith('crossing'))).toHaveLength(60);
    await expectNoProblems();
  });

  it('give each external key to one principal when both receive it at the same time', async () => {
    const keys = range(20).map((n) => `key ${n}`);
    const answers = await Promise.all(
      nodes.map((node) =>
        node.call(
          'irs/insert',
          keys.map((ExternalKey) => ({ ExternalKey })),
        ),
      ),
    );
    for (const [n, ExternalKey] of keys.entries()) {
      const tuples = answers.map(({ body }) => body.result?.records[n]);
      const applied = tuples.filter((tuple) => tuple?.Item3);
      expect(applied).toHaveLength(1);
      const [refused] = tuples.filter((tuple) => !tuple?.Item3);
      expect(refused?.Item2).toBe('EXTERNAL_KEY_TAKEN');
      // The error names the ID of the principal that the other service has inserted.
      expect(refused?.Item4).toContain(`ID ${applied[0]?.Item1}.`);
      const { body } = await nodes[n % 2 === 0 ? 0 : 1].call<{ ID: number }>('irs/list', { ExternalKey });
      expect(body.result?.records.map(({ ID }) => ID)).toEqual([applied[0]?.Item1]);
    }
    await expectNoProblems();
  });

  it('count every user of a principal that both change at the same time', async () => {
    const [ID = 0] = await insertPrincipals(nodes[0], 1);
    const first = await nodes[0].call('irs/update', [{ ID, Users: [newUser('shared')] }], {
      headers: { prefer: 'return=representation' },
    });
    const shared = first.body.result?.records[0]?.Item6.Users?.[0]?.ID;
    const reset = { ID: shared, Password: 'another sentence', ConfirmPassword: 'another sentence' };
    const calls = range(30).map((n) =>
      nodes[n % 2 === 0 ? 0 : 1].call('irs/update', [
        { ID, Users: [newUser(`shared ${n} a`), reset, newUser(`shared ${n} b`)] },
      ]),
    );
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    for (const node of nodes) {
      const { body } = await node.call<{ UsersCount: number; Users: unknown[] }>('irs/list', { ID });
      expect(body.result?.records[0]?.UsersCount).toBe(61);
      expect(body.result?.records[0]?.Users).toHaveLength(61);
    }
    const totals = await Promise.all(nodes.map((node) => node.call('irs/users', { PageSize: 1 })));
    const stored = (await storedUsernames(nodes[0].database)).size;
    expect(totals.map(({ body }) => body.result?.totalCount)).toEqual([stored, stored]);
    await expectNoProblems();
  });

  it('both accept a client from its creation until it is revoked', async () => {
    const fresh = await startNodes();
    const statuses = (headers: Record<string, string>) =>
      Promise.all(fresh.map(async (node) => (await node.call('irs/list', {}, { headers })).status));
    expect(await statuses({})).toEqual([200, 200]);
    const clients = openClientStore(fresh[1].database);
    const options = { name: 'erp', scopes: ['sync:read'] as const, networks: [], knownByAddress: false };
    const { client, secret } = await createClient(options, clients, operatorActor);
    const credential = { authorization: `Bearer ${client.publicKey}.${secret}` };
    // Protected mode has ended for both.
    expect(await statuses({})).toEqual([401, 401]);
    expect(await statuses(credential)).toEqual([200, 200]);
    await revokeClient(client.publicKey, clients, operatorActor);
    expect(await statuses(credential)).toEqual([401, 401]);
    expect(await statuses({})).toEqual([401, 401]);
  });
});
