import { Refusal } from '../faults.ts';
import type { Author } from '../journal/journal.ts';
import {
  type AccessStore,
  type Caller,
  type CallerEvidence,
  demandOwnPage,
  demandScope,
  identify,
} from './access.ts';
import { digestOf, type KeyPair, newConsoleToken } from './keys.ts';

/** A console that nobody uses has been left open on some desk. */
export const idleMinutes = 30;
/** However much it is used: whoever has copied a session has it for a working day at most. */
export const hoursAtMost = 12;

/** A client of scope `admin` that is signed in at the console. */
export interface ConsoleSession {
  readonly clientId: number;
  readonly publicKey: string;
  readonly name: string;
  /** If nobody uses it until then. */
  readonly expiresAt: Date;
}

export interface ConsoleStore {
  /** Null where the client, or its secret, is no longer what it was when it was looked up. */
  begin(session: NewConsoleSession, author: Author): Promise<ConsoleSession | null>;
  /** One that has not ended and may be used from this address; being looked at is no use of it. */
  find(tokenDigest: Buffer, address: string | null): Promise<ConsoleSession | null>;
  end(tokenDigest: Buffer, author: Author): Promise<void>;
}

export interface NewConsoleSession {
  readonly clientId: number;
  readonly secretDigest: Buffer;
  readonly tokenDigest: Buffer;
}

export interface ConsoleTools {
  readonly access: AccessStore;
  readonly sessions: ConsoleStore;
}

/** Whom the console is open for: for a session, for anyone on this machine in protected mode, or for nobody. */
export type ConsoleState =
  | { readonly state: 'signed-in'; readonly session: ConsoleSession }
  | { readonly state: 'protected' | 'signed-out'; readonly session: null };

/** Opens a session for whoever shows the keys of a client of scope `admin`. The token is in no store. */
export async function signInAtConsole(
  pair: KeyPair,
  evidence: CallerEvidence,
  authorOf: (caller: Caller) => Author,
  { access, sessions }: ConsoleTools,
): Promise<{ token: string; session: ConsoleSession }> {
  demandOwnPage(evidence);
  refuseOthers(evidence);
  const caller = await identify({ ...evidence, credentials: [pair] }, access);
  demandScope(caller, 'admin');
  const token = newConsoleToken();
  const wanted = {
    clientId: caller.clientId ?? 0,
    secretDigest: digestOf(pair.secret),
    tokenDigest: digestOf(token),
  };
  const session = await sessions.begin(wanted, authorOf({ ...caller, actor: 'console' }));
  if (!session) throw new Refusal('UNAUTHENTICATED', { variant: 'wrong' });
  return { token, session };
}

export async function consoleState(
  evidence: CallerEvidence,
  { access, sessions }: ConsoleTools,
): Promise<ConsoleState> {
  demandOwnPage(evidence);
  refuseOthers(evidence);
  const token = consoleTokenIn(evidence);
  const session = token === null ? null : await sessions.find(digestOf(token), evidence.address);
  if (session) return { state: 'signed-in', session };
  const open = evidence.direct && !(await access.hasClients());
  return { state: open ? 'protected' : 'signed-out', session: null };
}

/** Ends the session that is shown, where there is one. */
export async function signOutAtConsole(
  evidence: CallerEvidence,
  authorOf: (caller: Caller) => Author,
  { access, sessions }: ConsoleTools,
): Promise<void> {
  demandOwnPage(evidence);
  refuseOthers(evidence);
  const token = consoleTokenIn(evidence);
  if (token === null || !(await sessions.find(digestOf(token), evidence.address))) return;
  await sessions.end(digestOf(token), authorOf(await identify(evidence, access)));
}

/** Here a cookie may be one that has ended; anything else is not for the console. */
function refuseOthers({ credentials }: CallerEvidence): void {
  const others = credentials.filter((sent) => sent === null || !('consoleToken' in sent));
  if (others.length > 0) throw new Refusal('UNAUTHENTICATED', { variant: 'several' });
}

function consoleTokenIn({ credentials }: CallerEvidence): string | null {
  const [sent] = credentials;
  return credentials.length === 1 && sent && 'consoleToken' in sent ? sent.consoleToken : null;
}
