import { Refusal } from '../faults.ts';
import { type Scope, scopes } from './clients.ts';
import { digestOf, isPublicKey, isSameDigest, type KeyPair } from './keys.ts';

/** What a request shows of who sends it. */
export interface CallerEvidence {
  readonly credentials: readonly Credential[];
  /** The address of the caller, as far as it can be believed; null where it cannot. */
  readonly address: string | null;
  /** A program on this machine calling this service by a loopback name: no proxy between, no foreign page behind. */
  readonly direct: boolean;
  /** The request calls the service by an IP address, as localhost or by an allowed name: not by a rebound one. */
  readonly knownHost: boolean;
  /** Whether a browser sends it; a page on the caller's network is not the caller. */
  readonly fromBrowser: boolean;
  /** Whether a page of this service itself sends it: shown where something may be changed, not denied where it is read. */
  readonly ownPage: boolean;
}

/** A pair of keys, the access token of a signed-in user, that of the console, or what cannot be any of them. */
export type Credential =
  | KeyPair
  | { readonly accessToken: string }
  | { readonly consoleToken: string }
  | null;

export interface Caller {
  readonly actor: 'client' | 'console' | 'user' | 'protected';
  /** Null in protected mode, where no client exists. */
  readonly clientId: number | null;
  /** The signed-in user; null where somebody else calls. */
  readonly user: SignedInUser | null;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

export interface SignedInUser {
  readonly id: number;
  readonly principalId: number;
}

export interface KnownClient {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Digests of the secrets alive now. */
  readonly digests: readonly Buffer[];
  /** Whether the client may call from the address given. */
  readonly mayCallFrom: boolean;
}

export type ClientAtConsole = Pick<KnownClient, 'id' | 'name' | 'scopes'>;

export interface AccessStore {
  /** A client that is not revoked. */
  findClient(publicKey: string, address: string | null): Promise<KnownClient | null>;
  findClientByAddress(address: string): Promise<KnownClient | null>;
  /** Of a session that has not ended, whose user may sign in. */
  findSignedIn(tokenDigest: Buffer): Promise<(SignedInUser & { readonly username: string }) | null>;
  /** Of a session of the console that has not ended and may be used from this address; it counts as used. */
  findAtConsole(tokenDigest: Buffer, address: string | null): Promise<ClientAtConsole | null>;
  /** Whether an API client was ever created; a revoked one counts. */
  hasClients(): Promise<boolean>;
}

/** The public key of a client came with a wrong secret, or from an address where the client may not be. */
export class DeniedClient extends Refusal {
  readonly client: { readonly id: number; readonly publicKey: string };
  readonly why: 'secret' | 'address';

  constructor(client: { readonly id: number; readonly publicKey: string }, why: 'secret' | 'address') {
    super('UNAUTHENTICATED', { variant: 'wrong' });
    this.client = client;
    this.why = why;
  }
}

const nobody = digestOf('');
const protectedMode: Caller = {
  actor: 'protected',
  clientId: null,
  user: null,
  name: 'protected mode',
  scopes: new Set(scopes),
};

/** Says who calls, or refuses. A wrong credential is never passed over in favour of a weaker proof. */
export async function identify(evidence: CallerEvidence, store: AccessStore): Promise<Caller> {
  if (evidence.credentials.length > 1) throw new Refusal('UNAUTHENTICATED', { variant: 'several' });
  const [credential] = evidence.credentials;
  if (credential && 'accessToken' in credential) return identifyByToken(credential.accessToken, store);
  if (credential && 'consoleToken' in credential)
    return identifyAtConsole(credential.consoleToken, evidence, store);
  if (credential !== undefined) return identifyByKey(credential, evidence, store);
  if (!(await store.hasClients())) {
    if (evidence.direct) return protectedMode;
    throw new Refusal('UNAUTHENTICATED', { variant: 'closed' });
  }
  const known =
    evidence.address !== null && !evidence.fromBrowser
      ? await store.findClientByAddress(evidence.address)
      : null;
  if (!known) throw new Refusal('UNAUTHENTICATED', { variant: 'missing' });
  // Browsers send no Origin with a GET over plain http: there only the Host shows a page whose name was rebound.
  if (!evidence.knownHost) throw new Refusal('UNAUTHENTICATED', { variant: 'host' });
  // An address is no proof of who calls: it opens the records of the client, never the administration.
  return caller({ ...known, scopes: known.scopes.filter((scope) => scope !== 'admin') });
}

/** A signed-in user has no scope; what it may do is named at the few calls that are for it. */
export function demandScope(who: Caller, scope: Scope): void {
  if (who.user) throw new Refusal('FORBIDDEN', { variant: 'user' });
  if (!who.scopes.has(scope) && !who.scopes.has('admin'))
    throw new Refusal('FORBIDDEN', { variant: 'scope', figures: { scope } });
}

async function identifyByToken(token: string, store: AccessStore): Promise<Caller> {
  const user = await store.findSignedIn(digestOf(token));
  if (!user) throw new Refusal('UNAUTHENTICATED', { variant: 'token' });
  return { actor: 'user', clientId: null, user, name: user.username, scopes: new Set() };
}

/** The client that is signed in at the console. */
async function identifyAtConsole(
  token: string,
  evidence: CallerEvidence,
  store: AccessStore,
): Promise<Caller> {
  demandOwnPage(evidence);
  const client = await store.findAtConsole(digestOf(token), evidence.address);
  if (!client) throw new Refusal('UNAUTHENTICATED', { variant: 'console' });
  return { ...caller(client), actor: 'console' };
}

/** A browser sends its cookie along with whatever any page has it ask for. */
export function demandOwnPage({ ownPage }: CallerEvidence): void {
  if (!ownPage) throw new Refusal('FORBIDDEN', { variant: 'page' });
}

async function identifyByKey(
  pair: KeyPair | null,
  evidence: CallerEvidence,
  store: AccessStore,
): Promise<Caller> {
  const publicKey = pair !== null && isPublicKey(pair.publicKey) ? pair.publicKey : null;
  const client = publicKey === null ? null : await store.findClient(publicKey, evidence.address);
  const digest = digestOf(pair?.secret ?? '');
  // The same comparison for an unknown client, so that the time does not tell which public keys exist.
  const matches = (client?.digests ?? [nobody]).filter((known) => isSameDigest(known, digest)).length > 0;
  if (!client || publicKey === null) throw new Refusal('UNAUTHENTICATED', { variant: 'wrong' });
  if (!matches || !client.mayCallFrom)
    throw new DeniedClient({ id: client.id, publicKey }, matches ? 'address' : 'secret');
  return caller(client);
}

function caller(client: ClientAtConsole): Caller {
  return {
    actor: 'client',
    clientId: client.id,
    user: null,
    name: client.name,
    scopes: new Set(client.scopes),
  };
}
