import { areTooWide } from '../../network.ts';
import type { Code } from '../codes.ts';
import { Refusal } from '../faults.ts';
import { type Author, theOperator, theService } from '../journal/journal.ts';
import type { AccessStore } from './access.ts';
import { digestOf, isPublicKey, isSameDigest, type KeyPair, newPublicKey, newSecret } from './keys.ts';

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

/** What can be chosen of a client, and changed later. */
export type ClientWish = Omit<NewClient, 'publicKey'>;
export type ClientChange = Partial<ClientWish>;

/** Each change is noted in the journal by the transaction that makes it. */
export interface ClientStore {
  /** Null when the public key, or a network of a client known by address, is another client's. */
  insertClient(client: NewClient, digest: Buffer, author: Author): Promise<Client | null>;
  /** The same, and null when any client was ever created. */
  insertFirstClient(client: NewClient, digest: Buffer, author: Author): Promise<Client | null>;
  listClients(): Promise<readonly Client[]>;
  /**
   * `unknown`: no live client has the public key. `taken`: a network is another client's. `check` throws for what the
   * client must not become.
   */
  updateClient(
    publicKey: string,
    change: ClientChange,
    check: (wish: ClientWish) => void,
    author: Author,
  ): Promise<Client | 'unknown' | 'taken'>;
  /** Puts a new secret beside the newest one, which then ends at `oldEndsAt`; older ones end at once. */
  addSecret(publicKey: string, digest: Buffer, oldEndsAt: Date, author: Author): Promise<boolean>;
  revokeClient(publicKey: string, author: Author): Promise<boolean>;
}

/** What somebody got wrong about clients: a refusal for a caller, and for an operator a message that says what to do. */
export class ClientError extends Refusal {
  constructor(code: Code, variant: string | null, message: string) {
    super(code, variant === null ? {} : { variant });
    this.message = message;
  }
}

/** What a client may do where nothing else is said. */
export const usualScopes: readonly Scope[] = ['sync:write', 'sync:read'];
/** How long an old secret goes on where nothing else is said. */
export const usualGraceHours = 24;

export function graceEnd(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000);
}

/** Says what is wrong with a client that cannot be. */
function checkWish(wish: ClientWish): void {
  if (wish.name.trim() === '' || /\p{C}/u.test(wish.name))
    throw new ClientError('INVALID_CLIENT', 'name', 'a client needs a name of one line');
  if (wish.knownByAddress && wish.networks.length === 0) {
    throw new ClientError(
      'INVALID_CLIENT',
      'networks',
      'a client known by address needs at least one network',
    );
  }
  if (wish.knownByAddress && areTooWide(wish.networks)) {
    throw new ClientError(
      'INVALID_CLIENT',
      'everyone',
      'the networks of a client known by address must cover at most 1/128 of all addresses: more would let in everyone',
    );
  }
}

export async function createClient(
  wish: ClientWish,
  store: ClientStore,
  author: Author = theOperator,
): Promise<{ client: Client; secret: string }> {
  checkWish(wish);
  const secret = newSecret();
  const client = await store.insertClient({ ...wish, publicKey: newPublicKey() }, digestOf(secret), author);
  if (!client) throw addressTaken();
  return { client, secret };
}

/** Changes what is named; the rest stays. In force from the next call of the client on. */
export async function updateClient(
  publicKey: string,
  change: ClientChange,
  store: ClientStore,
  author: Author = theOperator,
): Promise<Client> {
  demandPublicKey(publicKey);
  const updated = await store.updateClient(publicKey, change, checkWish, author);
  if (updated === 'unknown') throw noLiveClient(publicKey);
  if (updated === 'taken') throw addressTaken();
  return updated;
}

/** The first client of an automated deployment: created once, on an empty store, and left alone afterwards. */
export async function ensureFirstClient(
  { publicKey, secret }: KeyPair,
  store: ClientStore,
  access: AccessStore,
): Promise<'created' | 'known' | 'ignored'> {
  const client = {
    publicKey,
    name: 'first',
    scopes: ['admin'] as const,
    networks: [],
    knownByAddress: false,
  };
  const digest = digestOf(secret);
  if (await store.insertFirstClient(client, digest, theService)) return 'created';
  const known = await access.findClient(publicKey, null);
  return known?.digests.some((other) => isSameDigest(other, digest)) ? 'known' : 'ignored';
}

/** Gives a client a new secret; the old one goes on for a while, so that the caller can be changed over. */
export async function rotateSecret(
  publicKey: string,
  oldEndsAt: Date,
  store: ClientStore,
  author: Author = theOperator,
): Promise<string> {
  demandPublicKey(publicKey);
  const secret = newSecret();
  if (await store.addSecret(publicKey, digestOf(secret), oldEndsAt, author)) return secret;
  throw noLiveClient(publicKey);
}

export async function revokeClient(
  publicKey: string,
  store: ClientStore,
  author: Author = theOperator,
): Promise<void> {
  demandPublicKey(publicKey);
  if (!(await store.revokeClient(publicKey, author))) throw noLiveClient(publicKey);
}

function demandPublicKey(text: string): void {
  if (!isPublicKey(text)) throw noLiveClient(text);
}

function addressTaken(): ClientError {
  return new ClientError(
    'CLIENT_ADDRESS_TAKEN',
    null,
    'another client is already known by an address of these networks',
  );
}

function noLiveClient(publicKey: string): ClientError {
  return new ClientError(
    'CLIENT_NOT_FOUND',
    null,
    `no live client has the public key ${publicKey}; "anagrafe client list" shows them`,
  );
}
