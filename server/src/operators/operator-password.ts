import { reserveAttempt } from '../accounts/login-throttle.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { OperatorAtConsole } from '../clients/access.ts';
import { ApiError, FieldErrors } from '../lib/field-errors.ts';
import { codeDigest } from '../passwords/password-code.ts';
import { readPassword, refuseOwnNames } from '../passwords/policy.ts';
import type { Attempt, OperatorSignInTools } from './operator-sign-in.ts';
import { emailKey } from './operators.ts';

export interface NewPassword {
  readonly password: string;
  readonly confirmation: string;
}

/** Sets the password of the operator that has the code. Returns its email address, or the errors of the password, which do not use the code up. */
export async function setOperatorPassword(
  { code, ...sent }: NewPassword & { readonly code: string },
  { source, actor }: Attempt,
  tools: OperatorSignInTools,
): Promise<FieldErrors | string> {
  const digest = codeDigest(code);
  const guess = {
    pair: tools.throttleDigest(`operator code ${JSON.stringify([code, source])}`),
    source: tools.throttleDigest(`code source ${source}`),
    account: null,
    userId: null,
  };
  const { counters } = await reserveAttempt(guess, tools.loginThrottle, 'codeThrottle');
  const account = digest && (await tools.store.findByCode(digest));
  if (!account) throw new ApiError('CODE_INVALID');
  await tools.loginThrottle.clear(guess, counters).catch(tools.report);
  const hash = await hashOf(sent, account, tools);
  if (typeof hash !== 'string') return hash;
  const own: Actor = { ...actor, kind: 'console', clientId: account.id };
  if (!(await tools.store.setPassword(digest, hash, own))) throw new ApiError('CODE_INVALID');
  return account.email;
}

/** Replaces the password of an operator that has confirmed its identity. Returns the errors of the password. */
export async function changeOperatorPassword(
  sent: NewPassword,
  { operator, tokenDigest }: { readonly operator: OperatorAtConsole; readonly tokenDigest: Buffer },
  actor: Actor,
  tools: OperatorSignInTools,
): Promise<FieldErrors | null> {
  const hash = await hashOf(sent, operator, tools);
  if (typeof hash !== 'string') return hash;
  if (!(await tools.store.changePassword(operator.id, hash, tokenDigest, actor)))
    throw new ApiError('UNAUTHENTICATED', { variant: 'console' });
  return null;
}

/** Mails a code to the operator with the address. Takes the same time and has the same result for every address. */
export async function forgotOperatorPassword(
  email: string,
  { source, actor }: Attempt,
  tools: OperatorSignInTools,
): Promise<void> {
  const { throttleDigest, mailer, store, report } = tools;
  const key = emailKey(email);
  const guess = {
    pair: throttleDigest(`operator forgotten ${JSON.stringify([key, source])}`),
    source: throttleDigest(`forgotten source ${source}`),
    account: throttleDigest(`operator forgotten account ${key}`),
    userId: null,
  };
  await reserveAttempt(guess, tools.loginThrottle, 'forgottenThrottle');
  if (!mailer) return;
  const code = tools.issueCode();
  // The answer does not wait for what only an existing operator needs.
  void store
    .storeCode(key, code, actor)
    .then((operator) => operator && mailer.send('forgotten', operator, code))
    .catch(report);
}

async function hashOf(
  { password, confirmation }: NewPassword,
  { id, email }: { readonly id: number; readonly email: string },
  tools: OperatorSignInTools,
): Promise<FieldErrors | string> {
  const errors = new FieldErrors();
  const fields = { Password: password, ConfirmPassword: confirmation };
  const mapped = readPassword(fields, tools.policy, '', errors);
  if (mapped !== null) refuseOwnNames(mapped, { usernameKey: null, email }, 'Password', errors);
  if (mapped !== null && errors.none && (await tools.isLeaked(mapped)))
    errors.add('Password', 'PASSWORD_COMMON');
  return mapped === null || !errors.none ? errors : tools.hasher.hashOne(mapped, `operator ${id}`);
}
