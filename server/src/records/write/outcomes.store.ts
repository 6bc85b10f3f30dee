import { preparedStatement, type Query, rowsParameter } from '../../db/statement.ts';
import { insertCall, type KeptUser } from './call-outcomes.store.ts';
import { principalOutcome, type ReadyChange } from './change.ts';
import type { AppliedUser } from './outcome.ts';
import { withRows } from './query.ts';

const outcomeRows = rowsParameter('outcome', {
  call_id: 'uuid',
  position: 'integer',
  principal_id: 'bigint',
  users: 'integer',
  applied: 'text',
  principal_change: 'text',
});

const outcomeValues = {
  call_id: ({ context }: ReadyChange) => context.reference?.callId ?? null,
  position: ({ context }: ReadyChange) => context.reference?.position ?? null,
  principal_id: ({ principalId }: ReadyChange) => principalId,
  users: ({ applied }: ReadyChange) => applied.length,
  applied: ({ applied }: ReadyChange) => JSON.stringify(applied.map(keptUser)),
  principal_change: principalOutcome,
};

function keptUser({ id, operation, changed, state }: AppliedUser): KeptUser {
  if (state) return [id, operation, changed ?? null, state];
  return changed ? [id, operation, changed] : [id, operation];
}

const storeOutcomesStatement = preparedStatement(
  'store outcomes',
  `insert into anagrafe.outcomes (call_id, position, principal_id, users, applied, principal_change)
   select call_id, position, principal_id, users, applied::jsonb, principal_change from ${outcomeRows.sql}`,
);

/** Stores the outcomes with the records, so that both are committed or neither is. */
export function storeOutcomes(changes: readonly ReadyChange[]): Query[] {
  const kept = changes.filter(({ context }) => context.reference);
  return withRows(storeOutcomesStatement, kept, outcomeRows.values(kept, outcomeValues));
}

/**
 * Stores the calls whose first outcomes these may be. A concurrent transaction with other records of the call waits here
 * until this one ends, so nothing but the outcomes may follow.
 */
export function storeNewCalls(changes: readonly ReadyChange[]): Query[] {
  const calls = new Set(changes.flatMap(({ context }) => context.reference?.newCall ?? []));
  return [...calls].map((call) => ({ statement: insertCall, values: { ...call } }));
}
