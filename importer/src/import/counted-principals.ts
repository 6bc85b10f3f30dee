import { keysOf, type PrincipalAliases } from './principal-aliases.ts';
import { TextStore, TextTable } from './text-table.ts';

/** Counts principals, each of them once, also if some rows name it by `ID` and others by `ExternalKey`. */
export class CountedPrincipals {
  readonly #keys = new TextTable(new TextStore());
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(key: string, aliases: PrincipalAliases): void {
    const keys = keysOf(key, aliases);
    if (keys.every((known) => this.#keys.numberOf(known) < 0)) this.#count++;
    for (const known of keys) this.#keys.add(known);
  }
}
