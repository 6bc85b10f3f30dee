import type { UpsertTuple } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import { dryRunUpsert, type ImportConnection, sendInParts } from './calls.ts';
import { externalKeyOf, keyOfId, principalKeyOf } from './records.ts';

/** Maps an `ExternalKey`, also that of a merged principal, to the key under which rows name the same principal by `ID`. */
export type PrincipalAliases = ReadonlyMap<string, string>;

export const noAliases: PrincipalAliases = new Map();

/** Returns all keys under which rows may name the principal of a key. */
export function keysOf(key: string, aliases: PrincipalAliases): readonly string[] {
  const alias = aliases.get(key);
  return alias === undefined ? [key] : [key, alias];
}

/** Looks up the stored principals whose external keys the rows have. */
export async function findAliases(
  rows: readonly ImportRow[],
  connection: ImportConnection,
): Promise<PrincipalAliases> {
  const keys = new Set<string>();
  for (const row of rows) {
    const key = row.kind === 'invalid' ? null : principalKeyOf(row);
    const externalKey = key === null ? null : externalKeyOf(key);
    if (externalKey !== null) keys.add(externalKey);
  }
  const aliases = new Map<string, string>();
  let pending: readonly string[] = [...keys];
  while (pending.length > 0) {
    const parts = await sendInParts(pending, (some) =>
      dryRunUpsert(
        some.map((ExternalKey) => ({ record: { ExternalKey } })),
        { existing: 'update', similar: 'allow', moves: 'refuse' },
        connection,
      ),
    );
    // A call names a principal once: the key of a merged one is sent again without the keys before it.
    const repeated: string[] = [];
    for (const { items, answer } of parts)
      for (const [index, key] of items.entries()) {
        const tuple = answer?.tuples[index];
        if (tuple && isRepeated(tuple)) repeated.push(key);
        else if (tuple?.Item1 != null) aliases.set(key, keyOfId(tuple.Item1));
      }
    if (repeated.length === pending.length) break;
    pending = repeated;
  }
  return aliases;
}

/** Returns true if an earlier record of the call has the same principal. */
export function isRepeated({ Item5 }: Pick<UpsertTuple, 'Item5'>): boolean {
  return Object.values(Item5).some((found) => found.some(({ code }) => code === 'DUPLICATE_PRINCIPAL'));
}

/** Copies a text that is kept. A part of a larger text, such as a cell, would keep all of it in memory. */
export function copyOf(text: string): string {
  // V8 makes a part of a copy that is joined from parts, too.
  return JSON.parse(JSON.stringify(text));
}

/** Counts principals, each of them once, also if rows name it by its `ID`, its `ExternalKey` and the key of a merged one. */
export class CountedPrincipals {
  readonly #keys = new Set<string>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(key: string, aliases: PrincipalAliases): void {
    const keys = keysOf(key, aliases);
    if (!keys.some((known) => this.#keys.has(known))) this.#count++;
    for (const known of keys) if (!this.#keys.has(known)) this.#keys.add(copyOf(known));
  }
}
