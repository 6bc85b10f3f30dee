import type { ImportRow, RecordRow, UserRow } from '../file/rows.ts';
import { principalOf } from './records.ts';
import { codedError, type RowError, type RowErrors } from './row-errors.ts';

/**
 * Decides about rows without `ExternalKey` and `ID`: `join` combines those of one company, `separate` makes each row a
 * principal of its own.
 */
export type WithoutKeyPolicy = 'join' | 'separate';

type NamedRow = UserRow | RecordRow;

/** The values that tell companies apart, from the strongest to the weakest, as text in which equal values are equal. */
interface Identity {
  /** The key of `principalOf`; null for a row without a key. */
  readonly key: string | null;
  /** The VAT number and the tax code, which are one number for many companies. */
  readonly numbers: readonly string[];
  readonly name: string | null;
  /** Two people may have the same name. */
  readonly isPerson: boolean;
}

/** Maximum number of values that are remembered. The rows without a key of a larger file are refused. */
const valuesMax = 2_000_000;

/** The owner of a value: a key or a stronger value; `several` if there is more than one. */
const several = Symbol('several');
type Owner = string | typeof several;

/**
 * Finds the companies of rows that have no key, by VAT number, tax code or name. A value that belongs to several companies
 * of the file identifies none, and such a row is refused, so that no company is split or invented.
 */
export class Companies {
  readonly #owners = new Map<string, Owner>();
  /** The number of rows that have nothing but the name of a person, by the name. */
  readonly #people = new Map<string, number>();

  /** Must be called with all rows of the file. */
  add(row: ImportRow): void {
    const identity = identityOf(row);
    if (!identity || this.#owners.size > valuesMax) return;
    const { key, numbers, name, isPerson } = identity;
    const [first, ...others] = numbers;
    const strongest = key ?? (first === undefined ? null : companyOf(first));
    if (strongest === null) {
      if (name !== null && isPerson) this.#people.set(name, (this.#people.get(name) ?? 0) + 1);
      return;
    }
    const weaker = key === null ? others : numbers;
    for (const value of [...weaker, ...(name === null ? [] : [name])]) this.#own(value, strongest);
  }

  #own(value: string, owner: string): void {
    const known = this.#owners.get(value) ?? owner;
    this.#owners.set(value, known === owner ? owner : several);
  }

  /** Returns the rows with their companies, and the errors of those whose company is not known. */
  assign(rows: readonly ImportRow[]): { readonly rows: readonly ImportRow[]; readonly errors: RowErrors } {
    const errors: RowErrors = new Map();
    const assigned = rows.map((row) => {
      const identity = identityOf(row);
      if (!identity || identity.key !== null) return row;
      const company = this.#owners.size > valuesMax ? unknown : this.#companyOf(identity);
      if (typeof company === 'string') return { ...row, company };
      errors.set(row.number, [company]);
      return row;
    });
    return { rows: assigned, errors };
  }

  #companyOf({ numbers, name, isPerson }: Identity): string | RowError {
    const [first] = numbers;
    const value = first ?? name;
    if (value === null || value === undefined) return unknown;
    const owner = this.#owners.get(value);
    if (owner === several) return ambiguous;
    if (owner !== undefined) return this.#strongest(owner);
    if (first === undefined && isPerson && (this.#people.get(value) ?? 0) > 1) return ambiguous;
    return companyOf(value);
  }

  /** A name may belong to a tax code, which may belong to a VAT number, which may belong to a key. */
  #strongest(owner: string): string | RowError {
    let company = owner;
    for (let steps = 0; company.startsWith(companyPrefix); steps++) {
      const next = this.#owners.get(company.slice(companyPrefix.length));
      if (next === undefined) return company;
      // Two numbers may belong to each other: as VAT number and tax code in one row, and the reverse in another.
      if (next === several || steps > 2) return ambiguous;
      company = next;
    }
    return company;
  }
}

const unknown = codedError('COMPANY_UNKNOWN');
const ambiguous = codedError('COMPANY_AMBIGUOUS');

/** Prefix of the companies that rows name by no key. A key begins with another character. */
const companyPrefix = '\0company ';

function companyOf(value: string): string {
  return companyPrefix + value;
}

/** Returns null for a row that describes no principal. */
function identityOf(row: ImportRow): Identity | null {
  if (row.kind === 'invalid' || (row.kind === 'user' && row.user.ID !== undefined)) return null;
  const { Vatnumber, Taxcode, Denomination, Surname, Name } = valuesOf(row);
  const numbers = [numberOf(Vatnumber), numberOf(Taxcode)].filter((number) => number !== null);
  const name = nameOf([Denomination]) ?? nameOf([Surname, Name]);
  return {
    key: principalOf({ ...row, company: undefined })?.key ?? null,
    numbers,
    name,
    isPerson: nameOf([Denomination]) === null,
  };
}

function valuesOf(row: NamedRow): Readonly<Record<string, unknown>> {
  return row.kind === 'user' ? row.principal : row.record;
}

/** Returns a VAT number or tax code without spaces, punctuation, the prefix IT, and lost zeros. */
function numberOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const text = value.toUpperCase().replace(/[\s.\-/]/g, '');
  return `number ${text.replace(/^IT(?=\d{11}$)/, '').replace(/^\d{7,10}$/, (digits) => digits.padStart(11, '0'))}`;
}

function nameOf(parts: readonly unknown[]): string | null {
  const texts = parts.filter((part) => typeof part === 'string');
  const name = texts.join(' ').normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();
  return name === '' ? null : `name ${name}`;
}
