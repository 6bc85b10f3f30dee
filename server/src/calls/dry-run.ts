import type { RecordList } from '../json/record-list.ts';
import { type CheckedRecord, checkInGroups } from '../records/check/batch.ts';
import { shownBytes, workingMemory } from '../records/check/memory-estimates.ts';
import { type Operation, operationOf } from '../records/check/operation.ts';
import { hashesNeeded } from '../records/operations/apply.ts';
import { EffectCounter, isUnchangedOutcome } from '../records/read/effect-counts.ts';
import { outcomeOf, resetUsers, usersTo } from '../records/write/change.ts';
import { type IndexedOutcome, mainError, type Outcome, refused } from '../records/write/outcome.ts';
import {
  type CallTools,
  plannedOperations,
  reviewOf,
  type WriteCall,
  type WriteResult,
} from './write-call.ts';

type TriedCall = Omit<WriteCall, 'body' | 'actor' | 'key' | 'run' | 'async' | 'report'>;

/** Runs all checks of a call without hashing or writing. */
export async function dryRun(
  call: TriedCall,
  records: RecordList,
  tools: Pick<CallTools, 'operations' | 'hasher' | 'keyRing' | 'maxRemovals'>,
): Promise<WriteResult> {
  const { holdMemory, signal } = call;
  const operation = operationOf(tools.operations, call.operation, call.options);
  const review = reviewOf(call, null, tools);
  holdMemory(workingMemory(records, 'in groups'));
  const { page = null, withUsers = false } = call.planned ?? {};
  const outcomes: Outcome[] = [];
  const selected: IndexedOutcome[] = [];
  const counter = new EffectCounter();
  let totalCount = 0;
  let register = 0;
  let reset = 0;
  let invite = 0;
  let passwords = 0;
  const first = page?.pageSize ? page.pageSize * (page.page - 1) : 0;
  const end = page?.pageSize ? first + page.pageSize : Number.POSITIVE_INFINITY;
  for await (const group of checkInGroups(records, operation, { showsChanges: withUsers, holdMemory })) {
    signal.throwIfAborted();
    for (const record of group) {
      const { position, change } = record;
      review?.approve(record, records.text(position));
      const outcome = expectedOutcome(record, operation);
      counter.add(outcome);
      const isSelected = !page?.changedOnly || !isUnchangedOutcome(outcome) || keepsFields(outcome);
      const shown = withUsers ? outcome : { ...outcome, users: [] };
      outcomes.push(page ? { ...shown, users: [] } : shown);
      const isOnPage = page !== null && isSelected && totalCount >= first && totalCount < end;
      if (isOnPage) selected.push({ ...shown, position });
      if (isOnPage || page === null) holdMemory(shownBytes(shown));
      if (isSelected) totalCount++;
      register += change ? usersTo(change, 'register').length : 0;
      reset += change ? resetUsers(change).length : 0;
      invite += change ? usersTo(change, 'invite').length : 0;
      passwords += hashesNeeded(record);
    }
  }
  const recordsFailed = outcomes.filter((outcome) => outcome.error !== null).length;
  const seconds = tools.hasher.estimateSeconds(String(call.clientId), passwords);
  const plan = review?.finish() ?? null;
  const planned = plan === null ? null : { plan, counts: counter.counts };
  return {
    kind: 'estimate',
    complete: true,
    outcomes,
    estimate: {
      register,
      reset,
      invite: operation.name === 'invite' ? invite : null,
      recordsFailed,
      seconds,
      planned,
    },
    selected: page && { ...page, outcomes: selected, totalCount },
  };
}

function keepsFields({ keptFields, users }: Outcome): boolean {
  return keptFields !== undefined || users.some((user) => user.keptFields !== undefined);
}

function expectedOutcome({ parsed, change }: CheckedRecord, operation: Operation): Outcome {
  if (!change) return refused(parsed, mainError(parsed.errors, 'dry'));
  if (!plannedOperations.includes(operation.name))
    return { id: parsed.sentId, error: null, errors: parsed.errors, users: [] };
  return { ...outcomeOf(change, parsed.errors), changes: change.changes ?? [] };
}
