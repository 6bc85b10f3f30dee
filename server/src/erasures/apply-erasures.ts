import { operatorActor } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import { readDatabaseId } from '../db/master-keys.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { noChange, type PrincipalChange } from '../records/write/change.ts';
import { type WritableChange, writableChange } from '../records/write/writable-change.ts';
import { type Erasure, isOf, readErasures } from './erasure-log.ts';
import {
  type ExistingPrincipal,
  findPrincipals,
  findUsers,
  missingIn,
  principalsWithOtherUsers,
} from './erasures.store.ts';

export interface AppliedErasures {
  readonly principals: number;
  /** The users that were deleted on their own. Those of a deleted principal are not counted. */
  readonly users: number;
  /** Principals that were deleted, and have users in the restored state that were not, such as users that had moved away. */
  readonly kept: readonly number[];
  /** The lines that name another database, which were left out. */
  readonly foreign: number;
}

export interface ErasureTools {
  readonly database: Database;
  /** Returns whether each change was written. */
  writeChanges(changes: readonly WritableChange[]): Promise<readonly boolean[]>;
}

/** Lines of the erasure log that are applied together. */
const linesAtOnce = 100;

/**
 * Deletes again what was deleted after the state that was restored: what the log lists and the audit log of the database
 * does not. `timeline` is that of the backup: what was deleted before its database began was decided on when that was
 * restored.
 */
export async function applyErasures(
  path: string,
  timeline: string,
  { database, writeChanges }: ErasureTools,
): Promise<AppliedErasures> {
  const total = { principals: 0, users: 0 };
  const withOthers: number[] = [];
  const apply = async (erasures: readonly Erasure[]) => {
    const deleted = await applyAll(await missingIn(database, erasures), { database, writeChanges });
    total.principals += deleted.principals;
    total.users += deleted.users;
    withOthers.push(...deleted.kept);
  };
  const id = await readDatabaseId(database);
  let foreign = 0;
  let waiting: Erasure[] = [];
  for await (const erasure of readErasures(path)) {
    if (!isOf(id, erasure)) {
      foreign++;
      continue;
    }
    if (erasure.timeline < timeline) continue;
    waiting.push(erasure);
    if (waiting.length < linesAtOnce) continue;
    await apply(waiting);
    waiting = [];
  }
  await apply(waiting);
  // Later lines may have listed the other users, too.
  const left = await findPrincipals(database, withOthers);
  const empty = left.filter(({ users }) => users === 0);
  for (const principal of empty) await writeOne(principalDeletion(principal), writeChanges);
  const kept = left.filter(({ users }) => users > 0).map(({ id }) => id);
  return { principals: total.principals + empty.length, users: total.users, kept, foreign };
}

async function applyAll(
  erasures: readonly Erasure[],
  { database, writeChanges }: ErasureTools,
): Promise<Omit<AppliedErasures, 'foreign'>> {
  const listed = erasures.flatMap(({ users }) => users);
  const found = await findPrincipals(
    database,
    erasures.flatMap(({ principal }) => principal ?? []),
  );
  const ids = found.map(({ id }) => id);
  const withOthers = await principalsWithOtherUsers(database, ids, listed);
  const principals = found.filter(({ id }) => !withOthers.has(id));
  for (const principal of principals) await writeOne(principalDeletion(principal), writeChanges);
  const left = await findUsers(database, listed);
  for (const { principalId, users } of left) await writeOne(userDeletion(principalId, users), writeChanges);
  return {
    principals: principals.length,
    users: left.reduce((sum, { users }) => sum + users.length, 0),
    kept: [...withOthers],
  };
}

async function writeOne(change: PrincipalChange, writeChanges: ErasureTools['writeChanges']): Promise<void> {
  const ready = writableChange(
    change,
    { ids: { principal: null, users: [] }, hashes: new Map(), position: 0 },
    { actor: operatorActor, call: null, callerTags: null },
  );
  const [isWritten] = await writeChanges([ready]);
  if (isWritten) return;
  throw new OperatorError('The restored database was changed while deletions were repeated', {
    code: 'database_in_use',
    advice: 'stop every service on it, and restore again.',
  });
}

function principalDeletion({ id: principalId, externalKey, users }: ExistingPrincipal): PrincipalChange {
  return {
    ...noChange,
    principalId,
    action: 'delete',
    principal: { kind: 'delete', externalKey },
    storedUsers: users,
  };
}

function userDeletion(principalId: number, ids: readonly number[]): PrincipalChange {
  return { ...noChange, principalId, users: ids.map((id) => ({ kind: 'delete', id })) };
}
