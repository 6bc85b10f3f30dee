import type { Envelope } from '../../src/http/envelope.ts';
import { insertPrincipals, newUser, type TestService } from './service.ts';

/** What a login gives, in `result.record`. */
export interface Login {
  readonly IRID: number;
  readonly UserID: number;
  readonly Token: string;
  readonly RefreshToken: string;
  readonly TokenExpiration: string;
}

export const rightPassword = 'correct horse battery';

/** A principal with users of these names, who all have the right password. */
export async function registerUsers(service: TestService, ...names: string[]) {
  const [principal = 0] = await insertPrincipals(service, 1);
  const users = names.map((name) => newUser(name));
  const { body } = await service.call('irs/update', [{ ID: principal, Users: users }], {
    headers: { prefer: 'return=representation' },
  });
  const ids = body.result?.records[0]?.Item6.Users?.map(({ ID }) => ID) ?? [];
  return { principal, ids };
}

export function login(service: TestService, Username: string, Password = rightPassword) {
  return service.call('login', { Username, Password });
}

export async function signedIn(service: TestService, username: string): Promise<Login> {
  const { status, body } = await login(service, username);
  if (status !== 200) throw new Error(`no login: ${JSON.stringify(body)}`);
  return loginOf(body);
}

export function loginOf(envelope: Envelope<unknown> | undefined): Login {
  return (envelope?.result?.record ?? {}) as Login;
}

export const asUser = ({ Token }: Login) => ({ headers: { AccessToken: Token } });
