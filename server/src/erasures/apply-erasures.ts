import { operatorActor } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { noChange, type PrincipalChange } from '../records/write/change.ts';
import { type WritableChange, writableChange } from '../records/write/writable-change.ts';
import { type Erasure, readErasures } from './erasure-log.ts';
import { type ExistingPrincipal, findPrincipals, findUsers, missingIn } from './erasures.store.ts';

export interface AppliedErasures {
  readonly principals: number;
  /** The users that were deleted on their own. Those of a deleted principal are not counted. */
  readonly users: number;
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
  const apply = async (erasures: readonly Erasure[]) => {
    const deleted = await applyAll(await missingIn(database, erasures), { database, writeChanges });
    total.principals += deleted.principals;
    total.users += deleted.users;
  };
  let waiting: Erasure[] = [];
  for await (const erasure of readErasures(path)) {
    if (erasure.timeline < timeline) continue;
    waiting.push(erasure);
    if (waiting.length < linesAtOnce) continue;
    await apply(waiting);
    waiting = [];
  }
  await apply(waiting);
  return total;
}

async function applyAll(
  erasures: readonly Erasure[],
  { database, writeChanges }: ErasureTools,
): Promise<AppliedErasures> {
  const write = async (change: PrincipalChange) => {
    const ready = writableChange(
      change,
      { ids: { principal: null, users: [] }, hashes: new Map(), position: 0 },
      { actor: operatorActor, call: null, callerTags: null },
    );
    const [isWritten] = await writeChanges([ready]);
    if (!isWritten)
      throw new OperatorError('The restored database was changed while deletions were repeated', {
        code: 'database_in_use',
        advice: 'stop every service on it, and restore again.',
      });
  };
  const principals = await findPrincipals(
    database,
    erasures.flatMap(({ principal }) => principal ?? []),
  );
  for (const principal of principals) await write(principalDeletion(principal));
  const left = await findUsers(
    database,
    erasures.flatMap(({ users }) => users),
  );
  for (const { principalId, users } of left) await write(userDeletion(principalId, users));
  return { principals: principals.length, users: left.reduce((sum, { users }) => sum + users.length, 0) };
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

function userDeletion(principalId: number, deletes: readonly number[]): PrincipalChange {
  return { ...noChange, principalId, deletes };
}
