import type { CallerTags } from '../db/visibility.ts';
import type { CallerEvidence } from '../http/credentials.ts';
import { ApiError } from '../lib/field-errors.ts';
import { digestOf, isPublicKey, isSameDigest, type KeyPair } from '../lib/secrets.ts';
import {
  grantOf,
  type Permission,
  permissionsOfRole,
  permissionsOfScopes,
  type Role,
  type Scope,
  scopes,
} from './permissions.ts';

interface CallerProperties {
  /** For the log only: a client may have any name. A user has its ID here, because the log contains no usernames. */
  readonly name: string;
  /** Empty for users and anonymous callers. */
  readonly permissions: ReadonlySet<Permission>;
  readonly tags: CallerTags;
}

/** `console`: the client or the operator is signed in at the console. */
interface ClientCaller extends CallerProperties {
  readonly kind: 'client' | 'console';
  readonly clientId: number;
  readonly user: null;
  readonly operator?: OperatorAtConsole;
}

interface UserCaller extends CallerProperties {
  readonly kind: 'user';
  readonly clientId: null;
  readonly user: SignedInUser;
}

/** `protected`: a program of the service's user or of root on this machine, in protected mode. `anonymous`: no credential was sent or required. */
interface UnidentifiedCaller extends CallerProperties {
  readonly kind: 'protected' | 'anonymous';
  readonly clientId: null;
  readonly user: null;
}

export type Caller = ClientCaller | UserCaller | UnidentifiedCaller;

export interface SignedInUser {
  readonly id: number;
  readonly principalId: number;
  /** True if the user may only change its password. */
  readonly mustChange: boolean;
}

export interface KnownClient {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly tags: CallerTags;
  /** Digests of the secrets that have not expired. */
  readonly digests: readonly Buffer[];
  readonly mayCallFrom: boolean;
}

export type ClientAtConsole = Pick<KnownClient, 'id' | 'name' | 'scopes' | 'tags'>;

/** An operator with a session. Its ID is that of its row in `clients`. */
export interface OperatorAtConsole {
  readonly id: number;
  readonly name: string;
  readonly publicKey: string;
  readonly email: string;
  readonly role: Role;
  readonly tags: CallerTags;
  readonly hasSecondFactor: boolean;
  /** True if the operator can do nothing before it has set up the second factor. */
  readonly mustEnrol: boolean;
  /** True if the operator has entered its password or a code within the last minutes. */
  readonly confirmed: boolean;
  /** The time at which the session ends if it is not used before. */
  readonly expiresAt: Date;
}

export interface AccessStore {
  findClient(publicKey: string, address: string | null): Promise<KnownClient | null>;
  findClientByAddress(address: string): Promise<KnownClient | null>;
  /** Finds the user of an access token. Returns null if the session has ended or the account is not active. */
  findSignedIn(tokenDigest: Buffer): Promise<SignedInUser | null>;
  /** Finds the client or operator of a console session that is valid from this address, and restarts the idle timeout. */
  findAtConsole(
    tokenDigest: Buffer,
    address: string | null,
  ): Promise<ClientAtConsole | OperatorAtConsole | null>;
  /** Returns true if an API client was ever created, even if it is now revoked. Operators do not count. */
  hasClients(): Promise<boolean>;
}

/** Thrown if an existing public key comes with a wrong secret, or from an address outside the client's networks. */
export class DeniedClient extends ApiError<'UNAUTHENTICATED'> {
  readonly client: { readonly id: number; readonly publicKey: string };
  readonly reason: 'secret' | 'address';

  constructor(client: DeniedClient['client'], reason: DeniedClient['reason']) {
    super('UNAUTHENTICATED', { variant: 'wrong' });
    this.client = client;
    this.reason = reason;
  }
}

const noDigest = digestOf('');
const protectedMode: UnidentifiedCaller = {
  kind: 'protected',
  clientId: null,
  user: null,
  name: 'protected mode',
  permissions: permissionsOfScopes(scopes, null),
  tags: null,
};

export const anonymous: UnidentifiedCaller = {
  kind: 'anonymous',
  clientId: null,
  user: null,
  name: 'anyone',
  permissions: new Set(),
  tags: null,
};

/** Authenticates the caller, or throws an `ApiError`. An invalid credential never falls back to the address. */
export async function identify(evidence: CallerEvidence, store: AccessStore): Promise<Caller> {
  if (evidence.credentials.length > 1) throw new ApiError('UNAUTHENTICATED', { variant: 'several' });
  const [credential] = evidence.credentials;
  if (credential && 'accessToken' in credential) return identifyByToken(credential.accessToken, store);
  if (credential && 'consoleToken' in credential)
    return identifyAtConsole(credential.consoleToken, evidence, store);
  if (credential !== undefined) return identifyByKey(credential, evidence, store);
  if (!(await store.hasClients())) {
    if (evidence.direct && (await evidence.isOwnPeer())) return protectedMode;
    throw new ApiError('UNAUTHENTICATED', { variant: 'closed' });
  }
  const known =
    evidence.address !== null && !evidence.fromBrowser
      ? await store.findClientByAddress(evidence.address)
      : null;
  if (!known) throw new ApiError('UNAUTHENTICATED', { variant: 'missing' });
  // Browsers send no Origin with a GET over plain HTTP, so only the Host header reveals DNS rebinding.
  if (!evidence.knownHost) throw new ApiError('UNAUTHENTICATED', { variant: 'host' });
  // An address is weak proof of identity, so it never grants the scope `admin`.
  return clientCaller({ ...known, scopes: known.scopes.filter((scope) => scope !== 'admin') });
}

/** Throws `FORBIDDEN` or `CONFIRMATION_REQUIRED` unless the caller has the permission. Routes admit users by `self`. */
export function requirePermission(who: Caller, permission: Permission): void {
  if (who.kind === 'user') throw new ApiError('FORBIDDEN', { variant: 'user' });
  const { scope, role, confirmed, whole } = grantOf(permission);
  const operator = 'operator' in who ? who.operator : undefined;
  if (operator?.mustEnrol) throw new ApiError('FORBIDDEN', { variant: 'secondFactor' });
  if (who.permissions.has(permission)) {
    if (operator && confirmed && !operator.confirmed) throw new ApiError('CONFIRMATION_REQUIRED');
    return;
  }
  if (whole) refuseLimited(who);
  if (operator && role === null) throw new ApiError('FORBIDDEN', { variant: 'operator' });
  if (operator && role !== null) throw new ApiError('FORBIDDEN', { variant: 'role', figures: { role } });
  throw new ApiError('FORBIDDEN', { variant: 'scope', figures: { scope: scope ?? 'admin' } });
}

/** Throws `FORBIDDEN` for a limited caller: what it may not see is not left out of the answers. */
export function refuseLimited({ tags }: Caller): void {
  if (tags !== null) throw new ApiError('FORBIDDEN', { variant: 'limited' });
}

async function identifyByToken(token: string, store: AccessStore): Promise<UserCaller> {
  const user = await store.findSignedIn(digestOf(token));
  if (!user) throw new ApiError('UNAUTHENTICATED', { variant: 'token' });
  const permissions = new Set<Permission>();
  return { kind: 'user', clientId: null, user, name: `user ${user.id}`, permissions, tags: null };
}

async function identifyAtConsole(
  token: string,
  evidence: CallerEvidence,
  store: AccessStore,
): Promise<ClientCaller> {
  requireSameOrigin(evidence);
  const client = await store.findAtConsole(digestOf(token), evidence.address);
  if (!client) throw new ApiError('UNAUTHENTICATED', { variant: 'console' });
  return 'role' in client ? operatorCaller(client) : clientCaller(client, 'console');
}

export function operatorCaller(operator: OperatorAtConsole): ClientCaller {
  const { id, role, mustEnrol, tags } = operator;
  const permissions = mustEnrol ? new Set<Permission>() : permissionsOfRole(role, tags);
  return { kind: 'console', clientId: id, user: null, operator, name: `operator ${id}`, permissions, tags };
}

/** Prevents CSRF: a browser may attach the console cookie to a request that a page of another site makes. */
export function requireSameOrigin({ ownPage }: CallerEvidence): void {
  if (!ownPage) throw new ApiError('FORBIDDEN', { variant: 'page' });
}

export async function identifyByKey(
  pair: KeyPair | null,
  evidence: CallerEvidence,
  store: AccessStore,
): Promise<ClientCaller> {
  const publicKey = pair !== null && isPublicKey(pair.publicKey) ? pair.publicKey : null;
  const client = publicKey === null ? null : await store.findClient(publicKey, evidence.address);
  const digest = digestOf(pair?.secret ?? '');
  // An unknown client gets the same comparison, so that the response time does not reveal which public keys exist.
  const matches = (client?.digests ?? [noDigest]).filter((known) => isSameDigest(known, digest)).length > 0;
  if (!client || publicKey === null) throw new ApiError('UNAUTHENTICATED', { variant: 'wrong' });
  if (!matches || !client.mayCallFrom)
    throw new DeniedClient({ id: client.id, publicKey }, matches ? 'address' : 'secret');
  return clientCaller(client);
}

function clientCaller(client: ClientAtConsole, kind: ClientCaller['kind'] = 'client'): ClientCaller {
  const permissions = permissionsOfScopes(client.scopes, client.tags);
  return { kind, clientId: client.id, user: null, name: client.name, permissions, tags: client.tags };
}
