import { type Actor, serviceActor } from '../audit/audit-log.ts';
import type { CallerTags } from '../db/visibility.ts';
import { ApiError } from '../lib/field-errors.ts';
import { areTooWide } from '../lib/network.ts';
import {
  digestOf,
  isPublicKey,
  isSameDigest,
  type KeyPair,
  newPublicKey,
  newSecret,
} from '../lib/secrets.ts';
import type { AccessStore } from './access.ts';
import type { Scope } from './permissions.ts';

export interface Client {
  readonly id: number;
  readonly publicKey: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The networks that the client may call from, in CIDR notation; an empty list allows every address. */
  readonly networks: readonly string[];
  /** True if a call from `networks` needs no credential. */
  readonly knownByAddress: boolean;
  /** Limits the client to the principals that have one of these tags. They never change. */
  readonly tags: CallerTags;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export type NewClient = Omit<Client, 'id' | 'createdAt' | 'revokedAt'>;

export type ClientOptions = Omit<NewClient, 'publicKey' | 'tags'> & Partial<Pick<NewClient, 'tags'>>;
export type ClientChange = Partial<Omit<ClientOptions, 'tags'>>;

/** Every method that changes a client writes the audit row in the same transaction. */
export interface ClientStore {
  /** Returns null if the public key is taken, or if another client is known by an address of the networks. */
  insertClient(client: NewClient, digest: Buffer, actor: Actor): Promise<Client | null>;
  /** Inserts like `insertClient`, but returns null if a client was ever created. */
  insertFirstClient(client: NewClient, digest: Buffer, actor: Actor): Promise<Client | null>;
  listClients(): Promise<readonly Client[]>;
  /**
   * Returns `unknown` if no active client has the public key, and `taken` if another client is known by an address of the
   * networks. `check` receives the changed options and throws if they are invalid.
   */
  updateClient(
    publicKey: string,
    change: ClientChange,
    check: (options: Omit<ClientOptions, 'tags'>) => void,
    actor: Actor,
  ): Promise<Client | 'unknown' | 'taken'>;
  /** Adds a secret. The previous one expires at `oldEndsAt`, older ones at once. False means no such active client. */
  rotateSecret(publicKey: string, digest: Buffer, oldEndsAt: Date, actor: Actor): Promise<boolean>;
  revokeClient(publicKey: string, actor: Actor): Promise<boolean>;
}

export const defaultScopes: readonly Scope[] = ['sync:write', 'sync:read'];
/** The default time for which the previous secret stays valid after a rotation. */
export const defaultGraceHours = 24;

export function graceEnd(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000);
}

function checkOptions(options: Omit<ClientOptions, 'tags'>): void {
  if (options.name.trim() === '' || /\p{C}/u.test(options.name))
    throw new ApiError('INVALID_CLIENT', { variant: 'name' });
  if (!options.knownByAddress) return;
  if (options.networks.length === 0) throw new ApiError('INVALID_CLIENT', { variant: 'networks' });
  if (areTooWide(options.networks)) throw new ApiError('INVALID_CLIENT', { variant: 'everyone' });
}

export async function createClient(
  options: ClientOptions,
  store: ClientStore,
  actor: Actor,
): Promise<{ client: Client; secret: string }> {
  checkOptions(options);
  const secret = newSecret();
  const client = await store.insertClient(
    { tags: null, ...options, publicKey: newPublicKey() },
    digestOf(secret),
    actor,
  );
  if (!client) throw new ApiError('CLIENT_ADDRESS_TAKEN');
  return { client, secret };
}

/** Changes only the properties in `change`. The change applies from the next call of the client. */
export async function updateClient(
  publicKey: string,
  change: ClientChange,
  store: ClientStore,
  actor: Actor,
): Promise<Client> {
  requirePublicKey(publicKey);
  const updated = await store.updateClient(publicKey, change, checkOptions, actor);
  if (updated === 'unknown') throw clientNotFound(publicKey);
  if (updated === 'taken') throw new ApiError('CLIENT_ADDRESS_TAKEN');
  return updated;
}

/**
 * Creates the first client of an automated deployment, unless a client was ever created. Returns `known` if the pair is
 * then a valid credential, `ignored` if it is not.
 */
export async function ensureFirstClient(
  { publicKey, secret }: KeyPair,
  store: ClientStore,
  access: AccessStore,
): Promise<'created' | 'known' | 'ignored'> {
  const scopes = ['admin'] as const;
  const client = { publicKey, name: 'first', scopes, networks: [], knownByAddress: false, tags: null };
  const digest = digestOf(secret);
  if (await store.insertFirstClient(client, digest, serviceActor)) return 'created';
  const known = await access.findClient(publicKey, null);
  return known?.digests.some((other) => isSameDigest(other, digest)) ? 'known' : 'ignored';
}

/** Adds a secret to a client. The old one stays valid until `oldEndsAt`, so that callers switch without downtime. */
export async function rotateSecret(
  publicKey: string,
  oldEndsAt: Date,
  store: ClientStore,
  actor: Actor,
): Promise<string> {
  requirePublicKey(publicKey);
  const secret = newSecret();
  if (await store.rotateSecret(publicKey, digestOf(secret), oldEndsAt, actor)) return secret;
  throw clientNotFound(publicKey);
}

export async function revokeClient(publicKey: string, store: ClientStore, actor: Actor): Promise<void> {
  requirePublicKey(publicKey);
  if (!(await store.revokeClient(publicKey, actor))) throw clientNotFound(publicKey);
}

function requirePublicKey(text: string): void {
  if (!isPublicKey(text)) throw clientNotFound(text);
}

function clientNotFound(publicKey: string): ApiError {
  return new ApiError('CLIENT_NOT_FOUND', { figures: { publicKey } });
}
