import type { ImportRow } from '../file/rows.ts';
import type { RowUnit } from '../file/types.ts';
import type { ImportConnection } from './calls.ts';
import { Companies } from './companies.ts';
import { findAliases, noAliases, type PrincipalAliases } from './principal-aliases.ts';
import { type ExistingPolicy, principalKeyOf } from './records.ts';
import { compareRows, RowComparer, type RowComparison } from './row-comparer.ts';
import type { RowErrors } from './row-errors.ts';
import { WarningLog } from './warnings.ts';

export interface ComparedRows extends RowComparison {
  /** The rows without an error that are no copies. */
  readonly consistent: readonly ImportRow[];
  readonly aliases: PrincipalAliases;
}

interface CompareFileOptions {
  readonly existing: ExistingPolicy;
  readonly unit: RowUnit;
  /** Also compares values that the service will refuse, because all rows of a principal become one record. Default: false. */
  readonly isStrict?: boolean;
  /** The rows reset passwords, and state nothing that could be compared. Default: false. */
  readonly resets?: boolean;
  /** Reads all rows of the file, to find the companies of rows without a key; null makes each such row a principal. */
  readonly readAll: (() => AsyncIterable<ImportRow> | Iterable<ImportRow>) | null;
}

/** Compares the rows of a file with each other, and counts their warnings. */
export class FileComparer {
  readonly warnings = new WarningLog();
  readonly #comparer: RowComparer;
  readonly #options: CompareFileOptions;
  /** Read when the first row without a key is found. */
  #companies: Companies | null = null;

  constructor(options: CompareFileOptions) {
    this.#options = options;
    this.#comparer = new RowComparer(options.existing, options);
  }

  /** Must be called with all rows before these first, in their order. */
  async compare(rows: readonly ImportRow[], connection: ImportConnection): Promise<ComparedRows> {
    const { existing, resets = false } = this.#options;
    for (const row of rows) this.warnings.add(row);
    if (resets) return { consistent: rows, errors: new Map(), copies: new Set(), aliases: noAliases };
    const aliases = existing === 'update' ? await findAliases(rows, connection) : noAliases;
    const named = await this.#withCompanies(rows);
    const known = named.rows.filter(({ number }) => !named.errors.has(number));
    const { errors, copies } = compareRows(known, this.#comparer, aliases);
    for (const row of known) if (copies.has(row.number)) this.warnings.addCopy(row);
    return {
      consistent: known.filter(({ number }) => !errors.has(number) && !copies.has(number)),
      errors: new Map([...named.errors, ...errors]),
      copies,
      aliases,
    };
  }

  async #withCompanies(
    rows: readonly ImportRow[],
  ): Promise<{ readonly rows: readonly ImportRow[]; readonly errors: RowErrors }> {
    const { readAll } = this.#options;
    const isUnnamed = (row: ImportRow) => row.kind !== 'invalid' && principalKeyOf(row) === null;
    if (!readAll || !rows.some(isUnnamed)) return { rows, errors: new Map() };
    if (!this.#companies) {
      this.#companies = new Companies();
      for await (const row of readAll()) this.#companies.add(row);
    }
    return this.#companies.assign(rows);
  }
}
