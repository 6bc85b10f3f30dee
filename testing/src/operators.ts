import { generateSync } from 'otplib';
import { operatorActor } from '../../server/src/audit/audit-log.ts';
import { disableWebhooks } from '../../server/src/clients/clients.store.ts';
import type { Role } from '../../server/src/clients/permissions.ts';
import { openOperatorTools } from '../../server/src/operators/open-operators.ts';
import { type InvitedOperator, inviteOperator } from '../../server/src/operators/operators.ts';
import { recordOf } from './admin.ts';
import { browserOf, ownPage } from './console.ts';
import { rightPassword } from './login.ts';
import type { TestService } from './service.ts';

type Headers = Record<string, string>;

/** Creates an operator that has not set its password yet. */
export function invited(
  service: TestService,
  email: string,
  role: Role,
  tags: readonly string[] | null = null,
): Promise<InvitedOperator> {
  const tools = openOperatorTools(service.database, service.config, disableWebhooks);
  return inviteOperator({ email, name: `Name of ${email}`, role, tags }, tools, operatorActor);
}

/** Creates an operator, with `rightPassword`, and returns its ID. */
export async function operator(
  service: TestService,
  email: string,
  role: Role,
  tags: readonly string[] | null = null,
): Promise<number> {
  const { operator, code } = await invited(service, email, role, tags);
  const body = { Code: code.text, Password: rightPassword, ConfirmPassword: rightPassword };
  const { status, text } = await browserOf(service)('POST /console/password', ownPage, body);
  if (status !== 200) throw new Error(text);
  return operator.id;
}

export function signInOperator(service: TestService, Email: string, more: Record<string, unknown> = {}) {
  const body = { Email, Password: rightPassword, ...more };
  return browserOf(service)('POST /console/session/operator', ownPage, body);
}

/** Signs an operator in and returns the headers that the pages of the console send, with the session cookie. */
export async function asOperator(service: TestService, email: string, code?: string): Promise<Headers> {
  const { cookie = '', text } = await signInOperator(
    service,
    email,
    code === undefined ? {} : { Code: code },
  );
  if (cookie === '') throw new Error(text);
  return { ...ownPage, cookie: cookie.split(';')[0] ?? '' };
}

/** Sets up the second factor of an operator that is signed in. `codeIn` returns the code of a later time step. */
export async function enrol(service: TestService, headers: Headers) {
  const browse = browserOf(service);
  const begun = await browse('POST /console/second-factor', headers);
  const { Secret: secret } = recordOf<{ Secret: string }>(begun);
  const codeIn = (steps: number) =>
    generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
  const used = codeIn(-1);
  const enrolled = await browse('POST /console/second-factor/confirm', headers, { Code: used });
  const { RecoveryCodes: recovery } = recordOf<{ RecoveryCodes: string[] }>(enrolled);
  return { codeIn, used, recovery };
}

/** Makes the last confirmation of every operator older than the ten minutes for which it counts. */
export async function outdateConfirmations({ database }: TestService): Promise<void> {
  await database.query(
    `update anagrafe.operator_sessions set confirmed_at = confirmed_at - interval '11 minutes'`,
  );
}
