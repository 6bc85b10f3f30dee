import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { type IdStore, reserveIds } from './id-reservation.ts';
import type { Operation, Operations, ReadyRecord, UpsertOptions } from './operation.ts';
import { applied, type Outcome, type Written } from './outcome.ts';
import { required } from './parsed-record.ts';
import { type ParsedUpsert, readUpsert } from './parsed-upsert.ts';
import { UpsertCheck, type UpsertLookups, type UpsertRules } from './upsert-check.ts';
import {
  changeOf,
  principalChanges,
  principalOutcome,
  type RecordDiff,
  shownUsers,
  type UserDiff,
  userChanges,
} from './upsert-diff.ts';
import type { ChangeStore, PrincipalChange } from './write/change.ts';

export interface UpsertStore extends UpsertLookups, ChangeStore, IdStore {}

/**
 * Returns the operation for each set of options. Calls with the same options share it, so that their records are
 * written together.
 */
export function upsertOperations(store: UpsertStore, rules: UpsertRules): Operations['upsert'] {
  const operations = new Map<string, Operation>();
  return (options) => {
    const name = JSON.stringify(options);
    const known = operations.get(name) ?? (upsertOperation(store, rules, options) as unknown as Operation);
    operations.set(name, known);
    return known;
  };
}

/** Creates missing principals and users, changes those that differ, and leaves equal ones as they are. */
function upsertOperation(
  store: UpsertStore,
  rules: UpsertRules,
  options: UpsertOptions,
): Operation<ParsedUpsert> {
  return {
    name: 'upsert',
    read: readUpsert,
    newCheck: (tools) => new UpsertCheck(store, rules, options, tools),
    order: ({ diff }) => diff?.stored?.id ?? null,
    size: ({ diff }) => (diff ? writtenUsers(diff) : 0),
    need: ({ diff }) => ({
      principals: diff && !diff.stored ? 1 : 0,
      users: diff?.users.filter(({ stored }) => stored === null).length ?? 0,
    }),
    reserveIds: (needs) => reserveIds(needs, store),
    idOf: ({ diff }, ids) => (diff?.stored ? diff.stored.id : ids.principal),
    expectedOutcome,
    write: (records) => writeRecords(records, store),
  };
}

function writtenUsers({ users, removed }: RecordDiff): number {
  return users.filter(isWritten).length + removed.length;
}

function isWritten({ stored, changed }: UserDiff): boolean {
  return stored === null || changed.length > 0;
}

/** Returns the outcome that the record would have, with the values that it would change. */
function expectedOutcome(parsed: ParsedUpsert): Outcome {
  const diff = required(parsed.diff);
  const users = shownUsers(diff).map((user, at) => {
    const userDiff = diff.users[at];
    return userDiff && user.operation === 'edit' ? { ...user, changes: userChanges(userDiff) } : user;
  });
  const outcome = applied(diff.stored?.id ?? null, users, parsed, principalOutcome(diff));
  return { ...outcome, changes: principalChanges(diff) };
}

async function writeRecords(
  records: readonly ReadyRecord<ParsedUpsert>[],
  store: UpsertStore,
): Promise<readonly (Written | null)[]> {
  const timeSlice = new TimeSlice();
  const changes: PrincipalChange[] = [];
  for (const { parsed, ids, hashes, context } of records)
    changes.push(await changeOf(required(parsed.diff), ids, hashes, context, timeSlice));
  return store.writeChanges(changes);
}
