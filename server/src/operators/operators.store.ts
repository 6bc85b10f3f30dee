import { openAuditLog } from '../audit/audit.store.ts';
import type { Action, Actor } from '../audit/audit-log.ts';
import { maxSessionHours } from '../clients/console-session.ts';
import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { newPublicKey } from '../lib/secrets.ts';
import { emailKey, type Operator, type OperatorSession, type OperatorStore } from './operators.ts';

const fromOperators = `anagrafe.operators as operator join anagrafe.clients as client on client.id = client_id`;
const operatorColumns = `client_id as id, email, name, role, tags, client.created_at as "createdAt",
  case when revoked_at is not null then 'disabled' when password_hash is null then 'invited' else 'active' end as state,
  totp_secret is not null as "hasSecondFactor"`;

/** The digest of no token. */
const noToken: Buffer = Buffer.alloc(0);

/** Serialises the changes: two concurrent inserts must not have one email address. */
const lockOperators = 'lock table anagrafe.operators in share row exclusive mode';

/** An operator with the role `admin` has the scope of its webhooks. */
const scopesOf = (role: string) => `case when ${role} = 'admin' then array['admin'] else '{}' end`;

interface OperatorStoreOptions {
  readonly idleMinutes: number;
  /** Disables the webhooks of an operator that is no administrator any more, in the same transaction. */
  disableWebhooks(
    connection: Connection,
    which: { readonly clientId: number },
    reason: { readonly code: 'client_lost_admin' },
    actor: Actor,
  ): Promise<unknown>;
}

export function openOperatorStore(database: Database, options: OperatorStoreOptions): OperatorStore {
  return storeWithApiErrors<OperatorStore>({
    list: () =>
      database.query<Operator>(`select ${operatorColumns} from ${fromOperators} order by client_id`),
    insert: ({ email, name, role, tags = null }, code, actor) =>
      database.transaction(async (connection) => {
        await connection.query(lockOperators);
        const [inserted] = await connection.query<{ id: number }>(
          `with client as (
             insert into anagrafe.clients (public_key, name, scopes, tags, is_operator)
             select $1, $2, ${scopesOf('$3')}, $8::text[], true
              where not exists (select from anagrafe.operators where email_key = $5) returning id
           )
           insert into anagrafe.operators (client_id, email, email_key, role, code_digest, code_expires_at)
           select id, $4, $5, $3, $6, $7 from client returning client_id as id`,
          [newPublicKey(), name, role, email, emailKey(email), code.digest, code.expiresAt, tags],
        );
        if (!inserted) return null;
        await note(connection, actor, 'operator.created', {
          operator: inserted.id,
          name,
          role,
          ...(tags && { tags }),
        });
        return find(connection, inserted.id);
      }),
    change: (id, { name, role, disabled }, actor) =>
      database.transaction(async (connection) => {
        const admins = await lockAdmins(connection);
        const known = await find(connection, id);
        if (!known) return null;
        const wasAdmin = known.role === 'admin';
        const isAdmin = (role ?? known.role) === 'admin' && !(disabled ?? known.state === 'disabled');
        if (wasAdmin && !isAdmin && admins.includes(id) && admins.length === 1) return 'last';
        await connection.query(
          `update anagrafe.clients set name = coalesce($2, name),
                  scopes = case when $3::text is null then scopes else ${scopesOf('$3::text')} end,
                  revoked_at = case when $4 then coalesce(revoked_at, now()) when not $4 then null else revoked_at end
            where id = $1`,
          [id, name ?? null, role ?? null, disabled ?? null],
        );
        await connection.query(
          'update anagrafe.operators set role = coalesce($2, role) where client_id = $1',
          [id, role ?? null],
        );
        if (disabled) {
          await endAll(connection, id);
          await connection.query(
            'update anagrafe.operators set code_digest = null, code_expires_at = null where client_id = $1',
            [id],
          );
        }
        if (wasAdmin && !isAdmin)
          await options.disableWebhooks(connection, { clientId: id }, { code: 'client_lost_admin' }, actor);
        const details = {
          operator: id,
          ...(name !== undefined && { name }),
          ...(role !== undefined && { role }),
          ...(disabled !== undefined && { state: disabled ? 'disabled' : 'active' }),
        };
        await note(connection, actor, 'operator.changed', details);
        return find(connection, id);
      }),
    reset: (id, code, actor) =>
      database.transaction(async (connection) => {
        const reset = await connection.query(
          `update anagrafe.operators set password_hash = null, totp_secret = null, totp_pending = null, recovery_codes = '{}',
                  code_digest = $2, code_expires_at = $3
            where client_id = $1 returning 1`,
          [id, code.digest, code.expiresAt],
        );
        if (reset.length === 0) return null;
        await connection.query('update anagrafe.clients set revoked_at = null where id = $1', [id]);
        await endAll(connection, id);
        await note(connection, actor, 'operator.reset', { operator: id });
        return find(connection, id);
      }),
    async listSessions(id, own = noToken) {
      if (!(await find(database, id))) return null;
      return database.query<OperatorSession>(
        `select session.id, host(address) as address, session.created_at as "signedInAt", used_at as "usedAt",
                token_digest = $3 as "isOwn"
           from anagrafe.operator_sessions as session
          where client_id = $1 and created_at > now() - make_interval(hours => ${maxSessionHours})
            and used_at > now() - make_interval(mins => $2::integer)
          order by used_at desc`,
        [id, options.idleMinutes, own],
      );
    },
    endSessions: (id, session, actor, kept) =>
      database.transaction(async (connection) => {
        if (!(await find(connection, id))) return null;
        const ended = await endAll(connection, id, session, kept);
        if (ended > 0) await note(connection, actor, 'operator.sessions_ended', { operator: id, ended });
        return ended;
      }),
  });
}

async function find(connection: Connection, id: number): Promise<Operator | null> {
  const [found] = await connection.query<Operator>(
    `select ${operatorColumns} from ${fromOperators} where client_id = $1`,
    [id],
  );
  return found ?? null;
}

/** Returns the IDs of the administrators that can sign in and manage everything. Two concurrent changes must not remove the last two. */
async function lockAdmins(connection: Connection): Promise<readonly number[]> {
  await connection.query(lockOperators);
  const admins = await connection.query<{ id: number }>(
    `select client_id as id from ${fromOperators}
      where role = 'admin' and tags is null and revoked_at is null and password_hash is not null`,
  );
  return admins.map(({ id }) => id);
}

async function endAll(
  connection: Connection,
  id: number,
  session: string | null = null,
  kept: Buffer = noToken,
): Promise<number> {
  const ended = await connection.query(
    `delete from anagrafe.operator_sessions
      where client_id = $1 and ($2::uuid is null or id = $2) and token_digest <> $3 returning 1`,
    [id, session, kept],
  );
  return ended.length;
}

function note(connection: Connection, actor: Actor, action: Action, details: Record<string, unknown>) {
  return openAuditLog(connection).note(actor, { action, details });
}
