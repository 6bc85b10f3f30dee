import { type LoginThrottle, reserveAttempt } from '../accounts/login-throttle.ts';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import type { OperatorAtConsole } from '../clients/access.ts';
import type { Queries } from '../encryption/key-ring.ts';
import { ApiError } from '../lib/field-errors.ts';
import { digestOf, newConsoleToken } from '../lib/secrets.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { type CodeIssuer, codeDigest, type IssuedCode } from '../passwords/password-code.ts';
import type { PasswordPolicy } from '../passwords/policy.ts';
import { mapOpaqueString } from '../usernames/precis-profiles.ts';
import { emailKey, type MailedOperator, type OperatorMailer } from './operators.ts';
import { type NewSecret, newRecoveryCodes, newTotpSecret, stepOfCode } from './second-factor.ts';

/** The stored values that the sign-in of an operator is checked against. */
export interface OperatorAccount {
  readonly id: number;
  readonly email: string;
  readonly disabled: boolean;
  /** Null if the operator is invited. */
  readonly passwordHash: string | null;
  readonly totpSecret: Buffer | null;
  readonly totpPending: Buffer | null;
  readonly totpStep: number;
}

export interface OperatorSignInStore {
  findByEmail(emailKey: string): Promise<OperatorAccount | null>;
  findById(id: number): Promise<OperatorAccount | null>;
  findByCode(digest: Buffer): Promise<OperatorAccount | null>;
  /** Starts a session; returns false if the operator has changed since `account` was read. */
  begin(account: OperatorAccount, tokenDigest: Buffer, actor: Actor): Promise<boolean>;
  confirm(tokenDigest: Buffer): Promise<void>;
  /** Uses a code up; returns false if it, or a code of its time step or a later one, was used before. */
  useStep(id: number, step: number): Promise<boolean>;
  useRecoveryCode(id: number, digest: Buffer): Promise<boolean>;
  storePending(id: number, encrypt: (connection: Queries) => Promise<Buffer>): Promise<void>;
  /** Makes the pending secret the second factor; returns false if it has changed since `account` was read. */
  enrol(account: OperatorAccount, step: number, recovery: readonly Buffer[], actor: Actor): Promise<boolean>;
  /** Sets the password and ends all sessions; returns false if the code is no longer valid. */
  setPassword(code: Buffer, hash: string, actor: Actor): Promise<boolean>;
  /** Replaces the password and ends the sessions other than `kept`; returns false if that one has ended. */
  changePassword(id: number, hash: string, kept: Buffer, actor: Actor): Promise<boolean>;
  /** Stores the code of an operator that may sign in, beside its password; returns null if there is none. */
  storeCode(emailKey: string, code: IssuedCode, actor: Actor): Promise<MailedOperator | null>;
}

export interface OperatorSignInTools {
  readonly store: OperatorSignInStore;
  readonly loginThrottle: LoginThrottle;
  readonly auditLog: AuditLog;
  readonly hasher: HashPool;
  readonly policy: PasswordPolicy;
  /** The hash that the password of an unknown email address is verified against, for equal timing. */
  readonly decoy: string;
  /** The name of the service in authenticator apps. */
  readonly issuer: string;
  /** Issues the codes for forgotten passwords. */
  readonly issueCode: CodeIssuer;
  /** Null if no mail server is configured. */
  readonly mailer: OperatorMailer | null;
  isLeaked(password: string): Promise<boolean>;
  throttleDigest(text: string): Buffer;
  /** Encrypts the secret, and locks the master key until the end of the transaction. */
  encryptSecret(connection: Queries, secret: string, associatedData: string): Promise<Buffer>;
  decryptSecret(encrypted: Buffer, associatedData: string): string;
  report(error: unknown): void;
}

/** The password or the code with which an operator proves its identity. */
export interface Proof {
  readonly password: string | undefined;
  /** A code of the second factor, or a recovery code. */
  readonly code: string | undefined;
}

/** The origin of a sign-in or confirmation: `source` is the address for the login throttle. */
export interface Attempt {
  readonly source: string;
  readonly actor: Actor;
}

/**
 * Signs an operator in and returns the token of the session. An unknown email address, a wrong password, a wrong code
 * and a disabled operator throw the same error. Throws `SECOND_FACTOR_REQUIRED` if only the code is missing.
 */
export async function signInOperator(
  { email, password, code }: { email: string; password: string; code: string | undefined },
  { source, actor }: Attempt,
  tools: OperatorSignInTools,
): Promise<string> {
  const key = emailKey(email);
  const account = await tools.store.findByEmail(key);
  const guess = {
    pair: tools.throttleDigest(`operator pair ${JSON.stringify([key, source])}`),
    source: tools.throttleDigest(`operator source ${source}`),
    account: tools.throttleDigest(`operator account ${key}`),
    userId: null,
  };
  const token = await throttled(guess, account, actor, tools, async () => {
    const right = await isPassword(password, account?.passwordHash ?? tools.decoy, source, tools);
    if (!account || account.disabled || account.passwordHash === null || !right) return null;
    if (account.totpSecret && code === undefined) throw new ApiError('SECOND_FACTOR_REQUIRED');
    if (account.totpSecret && !(await useCode(account, code ?? '', tools))) return null;
    const token = newConsoleToken();
    const own: Actor = { ...actor, kind: 'console', clientId: account.id };
    return (await tools.store.begin(account, digestOf(token), own)) ? token : null;
  });
  if (token === null) throw new ApiError('UNAUTHENTICATED', { variant: 'operator' });
  return token;
}

/** Confirms the identity of a signed-in operator by its password or a code, for what requires this. */
export async function confirmOperator(
  { id }: OperatorAtConsole,
  proof: Proof,
  tokenDigest: Buffer,
  { source, actor }: Attempt,
  tools: OperatorSignInTools,
): Promise<void> {
  const account = await tools.store.findById(id);
  const guess = {
    pair: tools.throttleDigest(`operator signed in ${id}`),
    source: null,
    account: null,
    userId: null,
  };
  const confirmed = await throttled(guess, account, actor, tools, async () => {
    if (!account) return null;
    const right =
      proof.code === undefined
        ? await isPassword(proof.password ?? '', account.passwordHash ?? tools.decoy, source, tools)
        : await useCode(account, proof.code, tools);
    return right || null;
  });
  if (!confirmed) throw new ApiError('UNAUTHENTICATED', { variant: 'operator' });
  await tools.store.confirm(tokenDigest);
}

/** Creates the secret of a second factor, which becomes valid with `enrolSecondFactor`. */
export async function beginSecondFactor(
  { id, email }: OperatorAtConsole,
  tools: OperatorSignInTools,
): Promise<NewSecret> {
  const created = newTotpSecret(email, tools.issuer);
  await tools.store.storePending(id, (connection) =>
    tools.encryptSecret(connection, created.secret, secretName(id)),
  );
  return created;
}

/** Returns ten recovery codes. Each can be used once instead of a code. */
export async function enrolSecondFactor(
  { id }: OperatorAtConsole,
  code: string,
  actor: Actor,
  tools: OperatorSignInTools,
): Promise<readonly string[]> {
  const account = await tools.store.findById(id);
  const pending = account?.totpPending ?? null;
  const secret = pending && tools.decryptSecret(pending, secretName(id));
  const step = secret === null ? null : stepOfCode(secret, code, 0);
  if (!account || step === null) throw new ApiError('CODE_INVALID');
  const { codes, digests } = newRecoveryCodes();
  if (!(await tools.store.enrol(account, step, digests, actor))) throw new ApiError('CODE_INVALID');
  return codes;
}

/** Runs `verify` under the login throttle. A result that is null counts as a wrong guess and is recorded. */
async function throttled<Result>(
  guess: Parameters<LoginThrottle['reserve']>[0],
  account: OperatorAccount | null,
  actor: Actor,
  { loginThrottle, auditLog, report }: OperatorSignInTools,
  verify: () => Promise<Result | null>,
): Promise<Result | null> {
  const { counters } = await reserveAttempt(guess, loginThrottle);
  const result = await verify().catch(async (error) => {
    await loginThrottle.takeBack(counters).catch(report);
    throw error;
  });
  if (result !== null) await loginThrottle.clear(guess, counters).catch(report);
  else await auditLog.note(actor, { action: 'operator.denied', details: { operator: account?.id ?? null } });
  return result;
}

async function isPassword(password: string, hash: string, source: string, { hasher }: OperatorSignInTools) {
  const mapped = mapOpaqueString(password);
  return hasher.verify('mapped' in mapped ? mapped.mapped : password, hash, { known: false, source });
}

/** Uses up a code of the second factor or a recovery code. Returns false if it is wrong or was used before. */
async function useCode(account: OperatorAccount, code: string, tools: OperatorSignInTools): Promise<boolean> {
  const { id, totpSecret, totpStep } = account;
  if (!totpSecret) return false;
  const step = stepOfCode(tools.decryptSecret(totpSecret, secretName(id)), code, totpStep);
  if (step !== null) return tools.store.useStep(id, step);
  const digest = codeDigest(code);
  return digest !== null && tools.store.useRecoveryCode(id, digest);
}

/** Returns the associated data of the encrypted secrets of an operator. */
export const secretName = (id: number) => `operator ${id}`;
