import { digestOf, type KeyPair, newPublicKey, newSecret } from './keys.ts';

export const scopes = ['sync:write', 'sync:read', 'admin'] as const;
export type Scope = (typeof scopes)[number];

export interface Client {
  readonly id: number;
  readonly publicKey: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Where the client may call from; anywhere when empty. */
  readonly networks: readonly string[];
  /** Whether a call from its networks needs no credential. */
  readonly knownByAddress: boolean;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export interface NewClient {
  readonly publicKey: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly networks: readonly string[];
  readonly knownByAddress: boolean;
}

export interface ClientStore {
  /** Null when the public key, or a network of a client known by address, is another client's. */
  insertClient(client: NewClient, digest: Buffer): Promise<Client | null>;
  listClients(): Promise<readonly Client[]>;
  /** Puts a new secret beside the newest one, which then ends at `oldEndsAt`; older ones end at once. */
  addSecret(publicKey: string, digest: Buffer, oldEndsAt: Date): Promise<boolean>;
  revokeClient(publicKey: string): Promise<boolean>;
}

/** What an operator got wrong about clients; the message says what to do. */
export class ClientError extends Error {}

export async function createClient(
  wish: Omit<NewClient, 'publicKey'>,
  store: ClientStore,
): Promise<{ client: Client; secret: string }> {
  if (wish.name.trim() === '' || /\p{C}/u.test(wish.name))
    throw new ClientError('a client needs a name of one line');
  if (wish.knownByAddress && wish.networks.length === 0) {
    throw new ClientError('a client known by address needs at least one network');
  }
  const secret = newSecret();
  const client = await store.insertClient({ ...wish, publicKey: newPublicKey() }, digestOf(secret));
  if (!client) throw new ClientError('another client is already known by an address of these networks');
  return { client, secret };
}

/** The first client of an automated deployment: created once, left alone afterwards. */
export async function ensureFirstClient(pair: KeyPair, store: ClientStore): Promise<boolean> {
  const clients = await store.listClients();
  if (clients.length > 0) return false;
  const { publicKey, secret } = pair;
  const wish = { publicKey, name: 'first', scopes: ['admin'] as const, networks: [], knownByAddress: false };
  return (await store.insertClient(wish, digestOf(secret))) !== null;
}

/** Gives a client a new secret; the old one goes on for a while, so that the caller can be changed over. */
export async function rotateSecret(publicKey: string, oldEndsAt: Date, store: ClientStore): Promise<string> {
  const secret = newSecret();
  if (await store.addSecret(publicKey, digestOf(secret), oldEndsAt)) return secret;
  throw new ClientError(`no live client has the public key ${publicKey}`);
}

export async function revokeClient(publicKey: string, store: ClientStore): Promise<void> {
  if (!(await store.revokeClient(publicKey)))
    throw new ClientError(`no live client has the public key ${publicKey}`);
}
