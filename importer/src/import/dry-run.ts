import type { InsertRecord, UpsertTuple } from '@anagrafe/client';
import { isObject } from '../file/json-element.ts';
import type { ImportRow } from '../file/rows.ts';
import { type ImportConnection, wouldCreate } from './calls.ts';
import { dryRunCall } from './dry-run-call.ts';
import { invitesIn } from './invitations.ts';
import { externalKeyOf, hasSecret, keyOfId, usersOf, type WriteRules } from './records.ts';
import type { RowErrors } from './row-errors.ts';
import { type RowGroup, rowsOfUsers } from './row-group.ts';
import { type Answer, sendRows } from './send.ts';
import type { StoredPrincipal, StoredRows } from './stored-rows.ts';
import { addTotals, type ImportTotals, noTotals } from './totals.ts';
import { rowsWithoutChanges } from './unchanged-rows.ts';

/** Principals by external key. */
export type Principals = ReadonlyMap<string, InsertRecord>;

/**
 * The rows and principals of earlier dry runs. A dry run stores nothing, so the service
 * cannot detect conflicts between rows of the same file that are checked in different calls.
 */
export class DryRunState {
  readonly rules: WriteRules;
  readonly #newPrincipals: Map<string, InsertRecord>;
  /** The keys of the principals that were counted, and of those among them that were counted as changed. */
  readonly #counted = new Set<string>();
  readonly #changed = new Set<string>();

  /** @param newPrincipals Principals that do not exist yet and that other rows of the file describe. */
  constructor(rules: WriteRules, newPrincipals: Principals = new Map()) {
    this.rules = rules;
    this.#newPrincipals = new Map(newPrincipals);
  }

  /** The principals that the import would create, by external key. */
  get newPrincipals(): Principals {
    return this.#newPrincipals;
  }

  /** Returns the values of a principal that the import would create. */
  valuesOf(key: string): Readonly<Record<string, unknown>> | undefined {
    const externalKey = externalKeyOf(key);
    if (externalKey === null) return undefined;
    return this.#newPrincipals.get(externalKey) as Record<string, unknown> | undefined;
  }

  /** Returns what to add to the totals for a record, so that each principal counts once, as changed if one record changes it. */
  countPrincipal(
    { key: name, id }: StoredPrincipal,
    effect: UpsertTuple['Item6']['Principal'],
  ): Partial<ImportTotals> {
    // The rows of an update may name a principal by `ID` and by `ExternalKey`.
    const key = id === null || this.rules.existing === 'refuse' ? name : keyOfId(id);
    const isFirst = addTo(this.#counted, key);
    // A dry run stores nothing: a later record of a principal would create or change it too.
    if (effect === 'inserted') return { PrincipalsInserted: isFirst ? 1 : 0 };
    if (effect === 'unchanged') return { PrincipalsUnchanged: isFirst ? 1 : 0 };
    if (effect !== 'updated' || !addTo(this.#changed, key)) return {};
    return { PrincipalsUpdated: 1, PrincipalsUnchanged: isFirst ? 0 : -1 };
  }

  /** Returns what to add to the totals for the principals of rows that are stored already. */
  countStored(rows: StoredRows): ImportTotals {
    let totals = noTotals;
    for (const principal of rows.values())
      totals = addTotals(totals, { ...noTotals, ...this.countPrincipal(principal, 'unchanged') });
    return totals;
  }

  addPrincipal(record: object): void {
    const { Users: _, ...principal } = record as InsertRecord;
    const key = principal.ExternalKey;
    if (typeof key === 'string')
      this.#newPrincipals.set(key, { ...this.#newPrincipals.get(key), ...principal });
  }
}

/** Returns true if the set did not have the text. */
function addTo(texts: Set<string>, text: string): boolean {
  return texts.size < texts.add(text).size;
}

interface DryRunResult {
  readonly errors: RowErrors;
  /** Estimated time in seconds that the service needs to hash the passwords. */
  readonly seconds: number;
  /** The effects that the rows without errors would have, without `PasswordsNotUsed`. */
  readonly totals: ImportTotals;
  /** The number of the row of each user that exists, and whose password would not be used. */
  readonly passwordsNotUsed: readonly number[];
  /** The numbers of the rows without errors that would change nothing, because all of their values are stored. */
  readonly unchanged: ReadonlySet<number>;
}

/**
 * Checks rows that were compared with dry runs, without applying them. To check a file in several batches, pass the same
 * `state` with every batch in file order: it makes later rows aware of what earlier rows would create, and this function
 * adds to it.
 */
export async function dryRunRows(
  rows: readonly ImportRow[],
  connection: ImportConnection,
  state: DryRunState,
): Promise<DryRunResult> {
  const { rules } = state;
  let seconds = 0;
  let totals = noTotals;
  const passwordsNotUsed: number[] = [];
  const unchanged = new Set<number>();
  const count = (more: Partial<ImportTotals>) => {
    totals = addTotals(totals, { ...noTotals, ...more });
  };
  const errors = await sendRows(rows, {
    ...connection,
    rules,
    isDryRun: true,
    valuesOf: (key) => state.valuesOf(key),
    async send(call) {
      const answer = await dryRunCall(call, rules, connection);
      seconds += answer.seconds;
      return answer.answers;
    },
    onApplied(record, answer) {
      if (record.operation === 'upsert') countUpsert(record, answer);
      else {
        const effect = record.operation === 'insert' ? 'inserted' : 'unchanged';
        count({
          ...state.countPrincipal({ key: record.key, id: null }, effect),
          UsersRegistered: usersOf(record.record).length,
          UsersInvited: invitesIn(record),
        });
      }
    },
  });
  return { errors, seconds, totals, passwordsNotUsed, unchanged };

  function countUpsert(
    { key, members, record }: RowGroup,
    { Item1 = null, Item6: effect = {} }: Answer,
  ): void {
    const principals = state.countPrincipal({ key, id: Item1 }, effect.Principal);
    count(principals);
    // A dry run stores nothing: a further record of a principal would find it as an earlier one has changed it.
    const isFirst = principals.PrincipalsInserted === 1 || principals.PrincipalsUpdated === 1;
    const after = isFirst ? effect : { ...effect, Principal: 'unchanged' as const };
    for (const number of rowsWithoutChanges(members, after)) unchanged.add(number);
    const sent = rowsOfUsers(members);
    for (const [index, { Operation }] of (effect.Users ?? []).entries()) {
      const { row, user } = sent[index] ?? {};
      const isInvited = Operation === 'register' && isObject(user) && 'Invite' in user;
      count({
        UsersRegistered: Operation === 'register' ? 1 : 0,
        UsersInvited: isInvited ? 1 : 0,
        UsersUpdated: Operation === 'edit' ? 1 : 0,
        UsersMoved: Operation === 'move' ? 1 : 0,
        UsersUnchanged: Operation === 'none' ? 1 : 0,
      });
      if (row && Operation !== 'register' && hasSecret(user)) passwordsNotUsed.push(row.number);
    }
    if (wouldCreate(effect)) state.addPrincipal(record);
  }
}
