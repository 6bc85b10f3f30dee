import { openAuditLog } from '../audit/audit.store.ts';
import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import type { OperatorAccount, OperatorSignInStore } from './operator-sign-in.ts';
import type { MailedOperator } from './operators.ts';

const selectAccount = `select client_id as id, email, revoked_at is not null as disabled, password_hash as "passwordHash",
    totp_secret as "totpSecret", totp_pending as "totpPending", totp_step as "totpStep"
  from anagrafe.operators join anagrafe.clients on clients.id = client_id`;

export function openOperatorSignIn(database: Database): OperatorSignInStore {
  async function find(condition: string, value: unknown): Promise<OperatorAccount | null> {
    const [account] = await database.query<OperatorAccount>(`${selectAccount} where ${condition}`, [value]);
    return account ?? null;
  }
  return storeWithApiErrors<OperatorSignInStore>({
    findByEmail: (emailKey) => find('email_key = $1', emailKey),
    findById: (id) => find('client_id = $1', id),
    findByCode: (digest) =>
      find('code_digest = $1 and code_expires_at > now() and revoked_at is null', digest),
    begin: ({ id, passwordHash, totpSecret }, tokenDigest, actor) =>
      database.transaction(async (connection) => {
        // The lock orders the sign-in before or after a change of the operator, which ends its sessions.
        const begun = await connection.query(
          `with unchanged as (
             select client_id from anagrafe.operators join anagrafe.clients on clients.id = client_id
              where client_id = $1 and password_hash = $2 and totp_secret is not distinct from $3 and revoked_at is null
                for share
           )
           insert into anagrafe.operator_sessions (token_digest, client_id, address)
           select $4, client_id, $5::inet from unchanged returning 1`,
          [id, passwordHash, totpSecret, tokenDigest, actor.address],
        );
        if (begun.length === 0) return false;
        const details = { client: id };
        await openAuditLog(connection).note(actor, { action: 'console.login', details });
        return true;
      }),
    async confirm(tokenDigest) {
      await database.query(
        'update anagrafe.operator_sessions set confirmed_at = now(), used_at = now() where token_digest = $1',
        [tokenDigest],
      );
    },
    async useStep(id, step) {
      const used = await database.query(
        'update anagrafe.operators set totp_step = $2 where client_id = $1 and totp_step < $2 returning 1',
        [id, step],
      );
      return used.length > 0;
    },
    async useRecoveryCode(id, digest) {
      const used = await database.query(
        `update anagrafe.operators set recovery_codes = array_remove(recovery_codes, $2)
          where client_id = $1 and $2 = any(recovery_codes) returning 1`,
        [id, digest],
      );
      return used.length > 0;
    },
    storePending: (id, encrypt) =>
      database.transaction(async (connection) => {
        await connection.query('update anagrafe.operators set totp_pending = $2 where client_id = $1', [
          id,
          await encrypt(connection),
        ]);
      }),
    enrol: ({ id, totpPending }, step, recovery, actor) =>
      database.transaction(async (connection) => {
        const enrolled = await connection.query(
          `update anagrafe.operators
              set totp_secret = totp_pending, totp_pending = null, totp_step = $3, recovery_codes = $4::bytea[]
            where client_id = $1 and totp_pending = $2 returning 1`,
          [id, totpPending, step, recovery],
        );
        if (enrolled.length === 0) return false;
        const details = { operator: id };
        await openAuditLog(connection).note(actor, { action: 'operator.second_factor', details });
        return true;
      }),
    setPassword: (code, hash, actor) =>
      database.transaction(async (connection) => {
        const set = await connection.query(
          `update anagrafe.operators set password_hash = $2, code_digest = null, code_expires_at = null
             from anagrafe.clients
            where clients.id = client_id and code_digest = $1 and code_expires_at > now() and revoked_at is null
           returning 1`,
          [code, hash],
        );
        if (set.length === 0) return false;
        const { clientId } = actor;
        await connection.query('delete from anagrafe.operator_sessions where client_id = $1', [clientId]);
        const details = { operator: clientId };
        await openAuditLog(connection).note(actor, { action: 'operator.password', details });
        return true;
      }),
    changePassword: (id, hash, kept, actor) =>
      database.transaction(async (connection) => {
        await connection.query('select from anagrafe.operators where client_id = $1 for update', [id]);
        // A reset or a disable, which ends the session, may have come while the password was hashed.
        const changed = await connection.query(
          `update anagrafe.operators set password_hash = $2, code_digest = null, code_expires_at = null
            where client_id = $1 and exists (select from anagrafe.operator_sessions where token_digest = $3)
           returning 1`,
          [id, hash, kept],
        );
        if (changed.length === 0) return false;
        await connection.query(
          'delete from anagrafe.operator_sessions where client_id = $1 and token_digest <> $2',
          [id, kept],
        );
        const details = { operator: id };
        await openAuditLog(connection).note(actor, { action: 'operator.password', details });
        return true;
      }),
    storeCode: (emailKey, { digest, expiresAt }, actor) =>
      database.transaction(async (connection) => {
        const [operator] = await connection.query<MailedOperator>(
          `update anagrafe.operators set code_digest = $2, code_expires_at = $3 from anagrafe.clients
            where clients.id = client_id and email_key = $1 and revoked_at is null
           returning client_id as id, name, email`,
          [emailKey, digest, expiresAt],
        );
        if (!operator) return null;
        const details = { operator: operator.id };
        await openAuditLog(connection).note(actor, { action: 'operator.forgotten', details });
        return operator;
      }),
  });
}
