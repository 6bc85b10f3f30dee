import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { AccessStore } from '../../src/core/access/access.ts';
import {
  type ClientStore,
  createClient,
  ensureFirstClient,
  type NewClient,
  rotateSecret,
} from '../../src/core/access/clients.ts';
import { digestOf, newSecret } from '../../src/core/access/keys.ts';
import { theOperator } from '../../src/core/journal/journal.ts';
import { openAccess, openClients } from '../../src/storage/clients.ts';
import { openStore, type Store } from '../../src/store.ts';
import { newStore } from '../setup/store.ts';

let store: Store;
let clients: ClientStore;
let access: AccessStore;

beforeEach(async () => {
  const made = await newStore();
  store = await openStore(readConfig(made.settings), { as: 'visitor', log: () => {} });
  onTestFinished(async () => {
    await store.close();
    await made.discard();
  });
  clients = openClients(store.database);
  access = openAccess(store.database);
});

function wish(more: Partial<NewClient> = {}): NewClient {
  return {
    publicKey: `agp_${randomBytes(8).toString('hex')}`,
    name: 'erp',
    scopes: ['sync:read'],
    networks: [],
    knownByAddress: false,
    ...more,
  };
}

const inAnHour = () => new Date(Date.now() + 3_600_000);

describe('the first client', () => {
  it('is not there at first', async () => {
    expect(await access.hasClients()).toBe(false);
    expect(await clients.listClients()).toEqual([]);
    expect(await access.findClient('deployment', '127.0.0.1')).toBeNull();
    expect(await access.findClientByAddress('127.0.0.1')).toBeNull();
  });

  it('is created once when five machines start with it at the same moment', async () => {
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

  it('counts as one that exists after it is revoked', async () => {
    await ensureFirstClient({ publicKey: 'deployment', secret: newSecret() }, clients, access);
    expect(await clients.revokeClient('deployment', theOperator)).toBe(true);
    expect(await openAccess(store.database).hasClients()).toBe(true);
    expect(await ensureFirstClient({ publicKey: 'another', secret: newSecret() }, clients, access)).toBe(
      'ignored',
    );
    expect(await access.findClient('deployment', null)).toBeNull();
  });
});

describe('a client', () => {
  it('is kept as it was given, and listed in the order of its creation', async () => {
    const given = wish({
      name: 'Gestionale "Rossi" ☕',
      scopes: ['sync:write', 'admin'],
      networks: ['10.0.0.0/8', '192.168.1.4', 'fd00::/8', '2001:db8::1'],
      knownByAddress: true,
    });
    const inserted = await clients.insertClient(given, digestOf(newSecret()), theOperator);
    expect(inserted).toEqual({
      ...given,
      id: expect.any(Number),
      networks: ['10.0.0.0/8', '192.168.1.4/32', 'fd00::/8', '2001:db8::1/128'],
      createdAt: expect.any(Date),
      revokedAt: null,
    });
    const next = await clients.insertClient(wish(), digestOf(newSecret()), theOperator);
    expect((await clients.listClients()).slice(-2)).toEqual([inserted, next]);
  });

  it('is refused with a public key that is taken, also by a revoked client', async () => {
    const { publicKey } = wish();
    expect(
      await clients.insertClient(wish({ publicKey }), digestOf(newSecret()), theOperator),
    ).not.toBeNull();
    expect(await clients.insertClient(wish({ publicKey }), digestOf(newSecret()), theOperator)).toBeNull();
    await clients.revokeClient(publicKey, theOperator);
    expect(await clients.insertClient(wish({ publicKey }), digestOf(newSecret()), theOperator)).toBeNull();
  });

  it('is found by the letters of its public key as they are', async () => {
    const { publicKey } = wish();
    await clients.insertClient(wish({ publicKey }), digestOf(newSecret()), theOperator);
    expect(await access.findClient(publicKey, null)).not.toBeNull();
    for (const other of [publicKey.toUpperCase(), `${publicKey} `, publicKey.slice(0, -1), '', '%']) {
      expect(await access.findClient(other, null)).toBeNull();
    }
  });

  it('may call from its networks alone, and from nowhere when its address is not known', async () => {
    const { publicKey } = wish();
    const networks = ['198.51.100.0/25', '2001:db8:1::/48'];
    await clients.insertClient(wish({ publicKey, networks }), digestOf(newSecret()), theOperator);
    const mayCallFrom = async (address: string | null) =>
      (await access.findClient(publicKey, address))?.mayCallFrom;
    expect(await mayCallFrom('198.51.100.127')).toBe(true);
    expect(await mayCallFrom('2001:db8:1:ffff::1')).toBe(true);
    expect(await mayCallFrom('198.51.100.128')).toBe(false);
    expect(await mayCallFrom('2001:db8:2::1')).toBe(false);
    expect(await mayCallFrom('::ffff:198.51.100.1')).toBe(false);
    expect(await mayCallFrom(null)).toBe(false);
  });

  it('cannot be marked known by address without a network, nor with a scope that does not exist', async () => {
    const digest = digestOf(newSecret());
    await expect(clients.insertClient(wish({ knownByAddress: true }), digest, theOperator)).rejects.toThrow(
      /check/,
    );
    const scopes = ['root'] as unknown as NewClient['scopes'];
    await expect(clients.insertClient(wish({ scopes }), digest, theOperator)).rejects.toThrow(/check/);
  });
});

describe('the secrets of a client', () => {
  it('are never more than two, however many rotations come at the same moment', async () => {
    const { client } = await createClient(wish(), clients);
    const secrets = await Promise.all(
      Array.from({ length: 6 }, () => rotateSecret(client.publicKey, inAnHour(), clients)),
    );
    const { digests = [] } = (await access.findClient(client.publicKey, null)) ?? {};
    expect(digests).toHaveLength(2);
    const given = secrets.map((secret) => digestOf(secret).toString('hex'));
    for (const digest of digests) expect(given).toContain(digest.toString('hex'));
  });

  it('are counted for each client alone', async () => {
    const one = await createClient(wish(), clients);
    const other = await createClient(wish(), clients);
    await rotateSecret(one.client.publicKey, new Date(), clients);
    const found = await access.findClient(other.client.publicKey, null);
    expect(found?.digests).toEqual([digestOf(other.secret)]);
  });

  it('are given to no client that is revoked or unknown', async () => {
    const { client } = await createClient(wish(), clients);
    expect(await clients.revokeClient(client.publicKey, theOperator)).toBe(true);
    expect(await clients.revokeClient(client.publicKey, theOperator)).toBe(false);
    expect(await clients.addSecret(client.publicKey, digestOf(newSecret()), inAnHour(), theOperator)).toBe(
      false,
    );
    expect(await clients.addSecret('agp_nobody', digestOf(newSecret()), inAnHour(), theOperator)).toBe(false);
    expect(await clients.revokeClient('agp_nobody', theOperator)).toBe(false);
  });
});
