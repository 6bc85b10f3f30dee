import { preparedStatement, type Query, rowsParameter } from '../../db/statement.ts';
import {
  insertCall,
  type KeptFieldsJson,
  type OutcomeInviteJson,
  type OutcomeUserJson,
} from './call-outcomes.store.ts';
import { principalOutcome, usersTo } from './change.ts';
import type { AppliedInvite } from './outcome.ts';
import { withRows } from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

const outcomeRows = rowsParameter('outcome', {
  call_id: 'uuid',
  position: 'integer',
  principal_id: 'bigint',
  users: 'integer',
  applied: 'text',
  kept: 'text',
  principal_change: 'text',
});

const outcomeValues = {
  call_id: ({ context }: WritableChange) => context.call?.id ?? null,
  position: ({ position }: WritableChange) => position,
  principal_id: ({ principalId }: WritableChange) => principalId,
  users: ({ applied }: WritableChange) => applied.length,
  applied: (change: WritableChange) => {
    const sources = new Map(usersTo(change, 'move').map(({ id, from }) => [id, from]));
    return JSON.stringify(change.applied.map((user) => userJson(user, sources.get(user.id))));
  },
  kept: ({ applied, keptFields = [] }: WritableChange) => {
    const kept: KeptFieldsJson = [
      ...keptFields.map(({ field, reason }) => [null, field, reason] as const),
      ...applied.flatMap(({ id, keptFields: own = [] }) =>
        own.map(({ field, reason }) => [id, field, reason] as const),
      ),
    ];
    return kept.length > 0 ? JSON.stringify(kept) : null;
  },
  principal_change: principalOutcome,
};

function userJson(
  { id, operation, changed, state, invite }: WritableChange['applied'][number],
  from: number | undefined,
): OutcomeUserJson {
  if (invite) return [id, operation, changed ?? null, state ?? null, null, inviteJson(invite)];
  if (from !== undefined) return [id, operation, changed ?? null, state ?? null, from];
  if (state) return [id, operation, changed ?? null, state];
  return changed ? [id, operation, changed] : [id, operation];
}

/** Keeps the times of a code, but nothing of the code itself. */
function inviteJson({ channel, code }: AppliedInvite): OutcomeInviteJson {
  return code ? [channel, code.issuedAt.toISOString(), code.expiresAt.toISOString()] : [channel];
}

const storeOutcomesStatement = preparedStatement(
  'store outcomes',
  `insert into anagrafe.outcomes (call_id, position, principal_id, users, applied, kept, principal_change)
   select call_id, position, principal_id, users, applied::jsonb, kept::jsonb, principal_change from ${outcomeRows.sql}`,
);

/** Stores the outcomes with the records, so that both are committed or neither is. */
export function storeOutcomes(changes: readonly WritableChange[]): Query[] {
  const stored = changes.filter(({ context }) => context.call);
  return withRows(storeOutcomesStatement, stored, outcomeRows.values(stored, outcomeValues));
}

/**
 * Stores the calls whose first outcomes these may be. A concurrent transaction with other records of the call waits here
 * until this one ends, so nothing but the outcomes may follow.
 */
export function storeCalls(changes: readonly WritableChange[]): Query[] {
  const calls = new Set(changes.flatMap(({ context }) => context.call?.unstoredCall ?? []));
  return [...calls].map((call) => ({ statement: insertCall, values: { ...call } }));
}
