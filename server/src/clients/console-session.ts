import type { Actor } from '../audit/audit-log.ts';
import type { CallerTags } from '../db/visibility.ts';
import type { CallerEvidence } from '../http/credentials.ts';
import { ApiError } from '../lib/field-errors.ts';
import { digestOf, type KeyPair, newConsoleToken } from '../lib/secrets.ts';
import {
  type AccessStore,
  type Caller,
  identify,
  identifyByKey,
  type OperatorAtConsole,
  requirePermission,
  requireSameOrigin,
} from './access.ts';

/** The idle timeout, which ends the session of a console left open. */
export const idleMinutes = 30;
/** The time for which an operator that has entered its password or a code need not do so again. */
export const confirmedMinutes = 10;
/** The maximum lifetime of a session, which limits the use of a stolen token. */
export const maxSessionHours = 12;

export interface ConsoleSession {
  readonly clientId: number;
  readonly publicKey: string;
  readonly name: string;
  readonly tags: CallerTags;
  /** The time at which the session ends if it is not used before. */
  readonly expiresAt: Date;
}

export interface ConsoleStore {
  /** Finds the session of an operator that has not ended. Does not restart its idle timeout. */
  findOperator(tokenDigest: Buffer): Promise<OperatorAtConsole | null>;
  /** Returns null if the client or its secret was changed after the lookup. */
  begin(session: NewConsoleSession, actor: Actor): Promise<ConsoleSession | null>;
  /** Finds a session that has not ended and is valid from this address. Does not restart its idle timeout. */
  find(tokenDigest: Buffer, address: string | null): Promise<ConsoleSession | null>;
  end(tokenDigest: Buffer, actor: Actor): Promise<void>;
}

export interface NewConsoleSession {
  readonly clientId: number;
  readonly secretDigest: Buffer;
  readonly tokenDigest: Buffer;
}

export interface ConsoleTools {
  readonly access: AccessStore;
  readonly consoleSessions: ConsoleStore;
  /** False if only operators may sign in. */
  readonly keysAtConsole: boolean;
}

/** The caller's access to the console. `protected`: protected mode, where callers on this machine need no session. */
export type ConsoleState =
  | { readonly state: 'signed-in'; readonly session: ConsoleSession | OperatorAtConsole }
  | { readonly state: 'protected' | 'signed-out'; readonly session: null };

/** Starts a session for the key pair of a client with the scope `admin`. The store receives only the token's digest. */
export async function signInAtConsole(
  pair: KeyPair,
  evidence: CallerEvidence,
  actorOf: (caller: Caller) => Actor,
  { access, consoleSessions, keysAtConsole }: ConsoleTools,
): Promise<{ token: string; session: ConsoleSession }> {
  requireConsolePage(evidence);
  if (!keysAtConsole) throw new ApiError('FORBIDDEN', { variant: 'keys' });
  const caller = await identifyByKey(pair, evidence, access);
  requirePermission(caller, 'admin.read');
  const token = newConsoleToken();
  const newSession = {
    clientId: caller.clientId,
    secretDigest: digestOf(pair.secret),
    tokenDigest: digestOf(token),
  };
  const session = await consoleSessions.begin(newSession, actorOf({ ...caller, kind: 'console' }));
  if (!session) throw new ApiError('UNAUTHENTICATED', { variant: 'wrong' });
  return { token, session };
}

export async function consoleState(
  evidence: CallerEvidence,
  { access, consoleSessions }: ConsoleTools,
): Promise<ConsoleState> {
  requireConsolePage(evidence);
  const token = consoleTokenIn(evidence);
  const session = token === null ? null : await findSession(token, evidence, consoleSessions);
  if (session) return { state: 'signed-in', session };
  const open = evidence.direct && !(await access.hasClients()) && (await evidence.isOwnPeer());
  return { state: open ? 'protected' : 'signed-out', session: null };
}

/** Returns false if there was no session to end. */
export async function signOutAtConsole(
  evidence: CallerEvidence,
  actorOf: (caller: Caller) => Actor,
  { access, consoleSessions }: ConsoleTools,
): Promise<boolean> {
  requireConsolePage(evidence);
  const token = consoleTokenIn(evidence);
  if (token === null || !(await findSession(token, evidence, consoleSessions))) return false;
  await consoleSessions.end(digestOf(token), actorOf(await identify(evidence, access)));
  return true;
}

async function findSession(token: string, { address }: CallerEvidence, sessions: ConsoleStore) {
  const digest = digestOf(token);
  return (await sessions.find(digest, address)) ?? sessions.findOperator(digest);
}

/** Rejects other sites, and every credential except the console cookie, which may be that of an ended session. */
export function requireConsolePage(evidence: CallerEvidence): void {
  requireSameOrigin(evidence);
  if (evidence.credentials.some((sent) => sent === null || !('consoleToken' in sent)))
    throw new ApiError('UNAUTHENTICATED', { variant: 'several' });
}

export function consoleTokenIn({ credentials }: CallerEvidence): string | null {
  const [sent] = credentials;
  return credentials.length === 1 && sent && 'consoleToken' in sent ? sent.consoleToken : null;
}
