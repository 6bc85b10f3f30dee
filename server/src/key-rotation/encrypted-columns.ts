import { formerName, type Purpose } from '../encryption/key-ring.ts';
import { secretName } from '../operators/operator-sign-in.ts';
import { webhookName } from '../webhooks/webhook.ts';

/** A column that is encrypted with a key derived from the master key. A rotation encrypts its values again. */
export interface EncryptedColumn<Key = unknown> {
  readonly table: string;
  readonly column: string;
  readonly key: {
    readonly column: string;
    readonly type: 'bigint' | 'uuid' | 'bytea';
    readonly first: string;
  };
  readonly purpose: Purpose;
  associatedData(key: Key): string;
  /** Selects the rows that may have a value. Without it, all rows do. */
  readonly condition?: string;
}

const bigint = (column: string) => ({ column, type: 'bigint', first: '0' }) as const;

/** All encrypted columns. A column that is missing here would become unreadable when the old key is removed. */
export const encryptedColumns: readonly EncryptedColumn<never>[] = [
  ...['secret', 'old_secret'].map((column) => ({
    ...{ table: 'webhooks', column, key: bigint('id'), purpose: 'secret' as const },
    associatedData: webhookName,
  })),
  // In this order: a value moves from the pending secret to the secret.
  ...['totp_pending', 'totp_secret'].map((column) => ({
    ...{ table: 'operators', column, key: bigint('client_id'), purpose: 'secret' as const },
    associatedData: secretName,
  })),
  {
    table: 'calls',
    column: 'wrapped_key',
    key: { column: 'id', type: 'uuid', first: '00000000-0000-0000-0000-000000000000' },
    purpose: 'wrapping',
    associatedData: (id: string) => id,
    condition: 'is_job and ended_at is null',
  },
  {
    table: 'former_master_keys',
    column: 'derived_keys',
    key: { column: 'identity', type: 'bytea', first: '' },
    purpose: 'secret',
    associatedData: formerName,
  },
];

/** The other columns of bytes, which no rotation changes, with the reason. */
export const otherColumns: Readonly<Record<string, string>> = {
  'audit_chain.first_hash': 'keyed hash; the keys of former master keys are kept',
  'audit_chain.last_hash': 'keyed hash',
  'audit_log.hash': 'keyed hash',
  'audit_log.digests': 'salted digests of old and new values',
  'calls.fingerprint': 'keyed hash; the keys of former master keys are kept',
  'calls.undo_records': 'records of an undo, which have no secret',
  'chunks.encrypted_records': 'encrypted with the key of its job, which is calls.wrapped_key',
  'client_secrets.digest': 'digest of a random secret',
  'console_sessions.token_digest': 'digest of a random token',
  'former_master_keys.identity': 'identifies a key',
  'master_key.identity': 'identifies a key',
  'operator_sessions.token_digest': 'digest of a random token',
  'operators.code_digest': 'digest of a random code',
  'operators.recovery_codes': 'digests of random codes',
  'password_codes.digest': 'digest of a random code',
  'sessions.token_digest': 'digest of a random token',
  'sessions.refresh_digest': 'digest of a random token',
  'sign_in_sources.pair': 'keyed digest; its key is that of the first master key',
  'throttles.key': 'keyed digest; its key is that of the first master key',
};
