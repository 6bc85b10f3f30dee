import type { Actor } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import { type KeyRing, MasterKeyMissing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { shortId } from '../settings/master-key-file.ts';
import { type EncryptedColumn, encryptedColumns } from './encrypted-columns.ts';
import {
  countNodesWithout,
  lockRotation,
  readEncrypted,
  readNeeded,
  replaceEncrypted,
  replaceMasterKey,
  retire,
} from './key-rotation.store.ts';

/** Interval at which nodes look for a new master key, in milliseconds. */
export const refreshMs = 2000;

export interface Encrypted {
  /** The values that were encrypted again. */
  readonly encrypted: number;
  /** The values that no key decrypts: their key was lost, or they were damaged. */
  readonly unreadable: number;
  /** True if no former key is needed any more. */
  readonly complete: boolean;
}

/** Returns true while a former key may encrypt stored values. */
export async function isRotating(database: Database): Promise<boolean> {
  return (await readNeeded(database)).length > 0;
}

/**
 * Encrypts all values with the key in use that have another one, and notes that the former keys are no longer needed.
 * It may run on several nodes at once, and end at any moment.
 */
export async function encryptAgain(
  database: Database,
  keyRing: KeyRing,
  signal?: AbortSignal,
): Promise<Encrypted> {
  const identities = await readNeeded(database);
  let encrypted = 0;
  let unreadable = 0;
  for (const column of encryptedColumns as readonly EncryptedColumn<unknown>[]) {
    let page: { key: unknown; value: Buffer }[];
    let after: unknown = column.key.first;
    do {
      signal?.throwIfAborted();
      page = await readEncrypted(database, column, after);
      for (const row of page) {
        const replacement = encryptedAgain(row, column, keyRing);
        if (replacement === 'unreadable') unreadable++;
        else if (replacement) {
          await replaceEncrypted(database, column, row, replacement);
          encrypted++;
        }
      }
      after = page.at(-1)?.key;
    } while (page.length > 0);
  }
  const isHeld = identities.every((identity) => keyRing.holds(identity));
  const complete = identities.length === 0 || (encrypted === 0 && isHeld);
  if (complete) await retire(database, identities);
  return { encrypted, unreadable, complete };
}

function encryptedAgain(
  { key, value }: { key: unknown; value: Buffer },
  { purpose, associatedData }: EncryptedColumn<unknown>,
  keyRing: KeyRing,
): Buffer | 'unreadable' | null {
  try {
    return keyRing.encryptAgain(value, purpose, associatedData(key));
  } catch (error) {
    if (error instanceof MasterKeyMissing) throw error;
    return 'unreadable';
  }
}

/**
 * Runs `work` while no other command rotates the master key: two would overwrite the key file of each other.
 *
 * @throws {OperatorError} if another command does.
 */
export async function inRotation<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  return database.transaction(
    async (connection) => {
      if (await lockRotation(connection)) return work();
      throw new OperatorError('Another command rotates the master key', { code: 'master_key_locked' });
    },
    // The rotation waits for transactions that store encrypted values.
    { patient: true },
  );
}

/**
 * Puts the newest key of the key ring into use, for all nodes.
 *
 * @throws {OperatorError} if there is no new key, or a connected node does not have it.
 */
export async function rotate(database: Database, keyRing: KeyRing, actor: Actor): Promise<void> {
  const [to] = keyRing.identities as [Buffer];
  const { identity: from } = keyRing;
  if (to.equals(from))
    throw new OperatorError('The settings have no new master key', {
      code: 'master_key_not_new',
      advice:
        'put a new key before the present one, separated by a comma, on every node, and restart the nodes one after the other.',
    });
  if (keyRing.isFormer(to))
    throw new OperatorError(`The key ${shortId(to)} was in use before`, {
      code: 'master_key_former',
      advice: 'generate another one.',
    });
  const nodes = await countNodesWithout(database, to);
  if (nodes > 0)
    throw new OperatorError(`The settings of connected nodes lack the key ${shortId(to)}: ${nodes}`, {
      code: 'master_key_unknown_to_nodes',
      advice: 'add it to their settings, before the present key, and restart them one after the other.',
    });
  const derivedKeys = keyRing.derivedKeysFor(to);
  if (!(await replaceMasterKey(database, { from, to, derivedKeys }, actor)))
    throw new OperatorError('Another key was put into use meanwhile', { code: 'master_key_changed' });
  await keyRing.refresh();
}
