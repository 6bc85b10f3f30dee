import { randomBytes } from 'node:crypto';
import { newStore } from '@anagrafe/testing/store';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import type { AccessStore } from '../../src/clients/access.ts';
import { openAccess, openClientStore } from '../../src/clients/clients.store.ts';
import {
  type ClientStore,
  createClient,
  ensureFirstClient,
  type NewClient,
  rotateSecret,
} from '../../src/clients/clients.ts';
import { digestOf, newSecret } from '../../src/lib/secrets.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore, type Store } from '../../src/store.ts';

let store: Store;
let clients: ClientStore;
let access: AccessStore;

beforeEach(async () => {
  const made = await newStore();
  store = await openStore(readConfig(made.settings), { mode: 'existing', log: () => {} });
  onTestFinished(async () => {
    await store.close();
    await made.discard();
  });
  clients = openClientStore(store.database);
  access = openAccess(store.database);
});

function newClient(more: Partial<NewClient> = {}): NewClient {
  return {
    publicKey: `agp_${randomBytes(8).toString('hex')}`,
    name: 'erp',
    scopes: ['sync:read'],
    networks: [],
    knownByAddress: false,
    tags: null,
    ...more,
  };
}

const inAnHour = () => new Date(Date.now() + 3_600_000);

describe('the first client', () => {
  it('does not exist in a new store', async () => {
    expect(await access.hasClients()).toBe(false);
    expect(await clients.listClients()).toEqual([]);
    expect(await access.findClient('deployment', '127.0.0.1')).toBeNull();
    expect(await access.findClientByAddress('127.0.0.1')).toBeNull();
  });

  it('is created once when five nodes start with it at the same time', async () => {
    const pair = { publicKey: 'deployment', secret: newSecret() };
    const created = await Promise.all(
      Array.from({ length: 5 }, () => ensureFirstClient(pair, clients, access)),
    );
    expect(created.sort()).toEqual(['created', 'known', 'known', 'known', 'known']);
    expect(await clients.listClients()).toHaveLength(1);
    expect(await access.findClient('deployment', null)).toMatchObject({
      scopes: ['admin'],
      digests: [digestOf(pair.secret)],
      mayCallFrom: true,
    });
    expect(await access.hasClients()).toBe(true);
  });

  it('still counts as existing after it is revoked', async () => {
    await ensureFirstClient({ publicKey: 'deployment', secret: newSecret() }, clients, access);
    expect(await clients.revokeClient('deployment', operatorActor)).toBe(true);
    expect(await openAccess(store.database).hasClients()).toBe(true);
    expect(await ensureFirstClient({ publicKey: 'another', secret: newSecret() }, clients, access)).toBe(
      'ignored',
    );
    expect(await access.findClient('deployment', null)).toBeNull();
  });
});

describe('a client', () => {
  it('is stored with the given properties, and listed in the order of creation', async () => {
    const given = newClient({
      name: 'Gestionale "Rossi" ☕',
      scopes: ['sync:write', 'admin'],
      networks: ['10.0.0.0/8', '192.168.1.4', 'fd00::/8', '2001:db8::1'],
      knownByAddress: true,
    });
    const inserted = await clients.insertClient(given, digestOf(newSecret()), operatorActor);
    expect(inserted).toEqual({
      ...given,
      id: expect.any(Number),
      networks: ['10.0.0.0/8', '192.168.1.4/32', 'fd00::/8', '2001:db8::1/128'],
      createdAt: expect.any(Date),
      revokedAt: null,
    });
    const next = await clients.insertClient(newClient(), digestOf(newSecret()), operatorActor);
    expect((await clients.listClients()).slice(-2)).toEqual([inserted, next]);
  });

  it('is not inserted with a public key that another client has, even if that one is revoked', async () => {
    const { publicKey } = newClient();
    const insertWithKey = () =>
      clients.insertClient(newClient({ publicKey }), digestOf(newSecret()), operatorActor);
    expect(await insertWithKey()).not.toBeNull();
    expect(await insertWithKey()).toBeNull();
    await clients.revokeClient(publicKey, operatorActor);
    expect(await insertWithKey()).toBeNull();
  });

  it('is found only by its exact public key', async () => {
    const { publicKey } = newClient();
    await clients.insertClient(newClient({ publicKey }), digestOf(newSecret()), operatorActor);
    expect(await access.findClient(publicKey, null)).not.toBeNull();
    for (const other of [publicKey.toUpperCase(), `${publicKey} `, publicKey.slice(0, -1), '', '%']) {
      expect(await access.findClient(other, null)).toBeNull();
    }
  });

  it('may call only from its networks, and not from an unknown address', async () => {
    const { publicKey } = newClient();
    const networks = ['198.51.100.0/25', '2001:db8:1::/48'];
    await clients.insertClient(newClient({ publicKey, networks }), digestOf(newSecret()), operatorActor);
    const mayCallFrom = async (address: string | null) =>
      (await access.findClient(publicKey, address))?.mayCallFrom;
    expect(await mayCallFrom('198.51.100.127')).toBe(true);
    expect(await mayCallFrom('2001:db8:1:ffff::1')).toBe(true);
    expect(await mayCallFrom('198.51.100.128')).toBe(false);
    expect(await mayCallFrom('2001:db8:2::1')).toBe(false);
    expect(await mayCallFrom('::ffff:198.51.100.1')).toBe(false);
    expect(await mayCallFrom(null)).toBe(false);
  });

  it('cannot be known by address without a network, nor have an unknown scope', async () => {
    const digest = digestOf(newSecret());
    const noNetwork = newClient({ knownByAddress: true });
    await expect(clients.insertClient(noNetwork, digest, operatorActor)).rejects.toThrow(/check/);
    const scopes = ['root'] as unknown as NewClient['scopes'];
    await expect(clients.insertClient(newClient({ scopes }), digest, operatorActor)).rejects.toThrow(/check/);
  });
});

describe('the secrets of a client', () => {
  it('are never more than two, even after concurrent rotations', async () => {
    const { client } = await createClient(newClient(), clients, operatorActor);
    const secrets = await Promise.all(
      Array.from({ length: 6 }, () => rotateSecret(client.publicKey, inAnHour(), clients, operatorActor)),
    );
    const { digests = [] } = (await access.findClient(client.publicKey, null)) ?? {};
    expect(digests).toHaveLength(2);
    const given = secrets.map((secret) => digestOf(secret).toString('hex'));
    for (const digest of digests) expect(given).toContain(digest.toString('hex'));
  });

  it('do not change when another client rotates its secret', async () => {
    const one = await createClient(newClient(), clients, operatorActor);
    const other = await createClient(newClient(), clients, operatorActor);
    await rotateSecret(one.client.publicKey, new Date(), clients, operatorActor);
    const found = await access.findClient(other.client.publicKey, null);
    expect(found?.digests).toEqual([digestOf(other.secret)]);
  });

  it('cannot be added to a revoked or unknown client', async () => {
    const { client } = await createClient(newClient(), clients, operatorActor);
    expect(await clients.revokeClient(client.publicKey, operatorActor)).toBe(true);
    expect(await clients.revokeClient(client.publicKey, operatorActor)).toBe(false);
    expect(
      await clients.rotateSecret(client.publicKey, digestOf(newSecret()), inAnHour(), operatorActor),
    ).toBe(false);
    expect(await clients.rotateSecret('agp_nobody', digestOf(newSecret()), inAnHour(), operatorActor)).toBe(
      false,
    );
    expect(await clients.revokeClient('agp_nobody', operatorActor)).toBe(false);
  });
});
