import type { InsertRecord } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import { type ImportConnection, wouldCreate } from './calls.ts';
import { dryRunCall } from './dry-run-call.ts';
import { type Effect, EffectLog, effectOfAll } from './effects.ts';
import { externalKeyOf, keyOfId, type WriteRules } from './records.ts';
import type { RowErrors } from './row-errors.ts';
import { sendRows } from './send.ts';
import type { StoredPrincipal, StoredRows } from './stored-rows.ts';
import { addTotals, type ImportTotals, noTotals } from './totals.ts';

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
  countPrincipal({ key: name, id }: StoredPrincipal, effect: Effect['Principal']): Partial<ImportTotals> {
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
  /** The number of each effect that the rows without errors would have. */
  readonly totals: ImportTotals;
  /** The effects on their users. */
  readonly effects: EffectLog;
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
  let principals = noTotals;
  const effects = new EffectLog();
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
    onApplied(group, { Item1 = null, Item6 }) {
      const { key, operation, record } = group;
      const effect =
        operation === 'upsert'
          ? (Item6 ?? {})
          : effectOfAll(group, operation === 'insert' ? 'inserted' : 'unchanged', 'register');
      const counted = state.countPrincipal({ key, id: Item1 }, effect.Principal);
      principals = addTotals(principals, { ...noTotals, ...counted });
      // A dry run stores nothing: a further record of a principal would find it as an earlier one has changed it.
      const isFirst = counted.PrincipalsInserted === 1 || counted.PrincipalsUpdated === 1;
      effects.add(group, isFirst ? effect : { ...effect, Principal: 'unchanged' });
      if (operation === 'upsert' && wouldCreate(effect)) state.addPrincipal(record);
    },
  });
  return { errors, seconds, totals: addTotals(effects.totals, principals), effects };
}
