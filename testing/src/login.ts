import type { Envelope } from '../../server/src/http/envelope.ts';
import { insertPrincipals, newUser, type TestService } from './service.ts';

/** The `result.record` of a login answer. */
export interface Login {
  readonly IRID: number;
  readonly UserID: number;
  readonly Token: string;
  readonly RefreshToken: string;
  readonly TokenExpiration: string;
}

export const rightPassword = 'correct horse battery';

/** Matches a hash that the service computed itself, with the cost from its settings. */
export function ownHash({ config }: Pick<TestService, 'config'>): RegExp {
  return new RegExp(`^\\$argon2id\\$v=19\\$m=${config.HASH_MEMORY_KIB},t=${config.HASH_PASSES},p=1\\$`);
}

/** Registers users with `rightPassword` under a new principal; `ids` are in the order of `names`. */
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

/**
 * Makes every wait that the login throttle imposes an hour longer, so that none ends while a slow test runs. The table
 * `chosen_waits` keeps the seconds that the service chose.
 */
export async function lengthenWaits({ database }: Pick<TestService, 'database'>): Promise<void> {
  await database.query('create table chosen_waits (id serial, user_id bigint, seconds double precision)');
  await database.query(`create function lengthen_wait() returns trigger language plpgsql as $body$
    begin
      if new.waits_until > clock_timestamp() then
        insert into chosen_waits (user_id, seconds)
        values (new.user_id, round(extract(epoch from new.waits_until - new.updated_at)));
        new.waits_until := new.waits_until + interval '1 hour';
      end if;
      return new;
    end $body$`);
  await database.query(
    'create trigger lengthen_wait before insert or update on anagrafe.throttles for each row execute function lengthen_wait()',
  );
}

export const asUser = ({ Token }: Login) => ({ headers: { AccessToken: Token } });
