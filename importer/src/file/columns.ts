import { userFields } from '@anagrafe/client';
import { failure } from './errors.ts';
import { fieldsByHeading, foldName, isGeneralHeading } from './headings.ts';
import {
  type AttributeField,
  attributeOf,
  attributePrefix,
  type ImportField,
  isAttributeField,
  isImportField,
} from './types.ts';

/** Names, without case, that mean the user in a file with company names, and the principal in a file without them. */
const personNames = new Map<string, { readonly user: ImportField; readonly principal: ImportField }>([
  ['cognome', { user: 'LastName', principal: 'Surname' }],
  ['nome', { user: 'FirstName', principal: 'Name' }],
]);

/** Recognises `Attributes.Department`. */
function attributeField(name: string): AttributeField | undefined {
  const [, attribute] = attributeHeading.exec(name.trim()) ?? [];
  return attribute === undefined ? undefined : normalisedAttribute(`${attributePrefix}${attribute}`);
}

const attributeHeading = new RegExp(
  `^(?:${['Attributes', ...userFields.Attributes.headings].join('|')})\\.(.+)$`,
  'i',
);

const currencies: Readonly<Record<string, string>> = { '€': 'EUR', $: 'USD', '£': 'GBP' };

/** Returns the field with a name that the service accepts: `Attributes.Costo_EUR` for `Attributes.Costo (€)`. */
function normalisedAttribute(field: AttributeField): AttributeField {
  const name = attributeOf(field)
    .replace(/[€$£]/g, (sign) => `_${currencies[sign]}_`)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_|_$/g, '');
  return `${attributePrefix}${name}`;
}

/** Maximum length of the name of an attribute. */
const attributeNameMax = 64;

/** Fields by column name; null ignores the column. A mapping takes precedence over the recognised names. */
export type ColumnMapping = Readonly<Record<string, ImportField | null>>;

export interface ImportColumn {
  readonly name: string;
  readonly field: ImportField | null;
  /**
   * - `known`: the name is recognised.
   * - `mapped`, `ignored`: the column mapping has a field, or null, for it.
   * - `unknown`: the name is neither recognised nor mapped. The values are ignored.
   * - `unnamed`: the name is empty. A value in this column is an error of its row.
   */
  readonly kind: 'known' | 'mapped' | 'ignored' | 'unknown' | 'unnamed';
  /** The other field that the name could mean, such as `Surname` of the principal for `LastName` of the user. */
  readonly alternative?: ImportField;
}

export class ColumnNames {
  readonly #mapping: ColumnMapping;
  readonly #known = new Map<string, ImportColumn>();
  /** True if the file has a column with company names, so that the names of people are those of users. */
  #hasDenomination = false;

  /** @throws {ImportFileError} If the mapping has an unknown field. */
  constructor(mapping: ColumnMapping) {
    this.#mapping = mapping;
    for (const [column, field] of Object.entries(mapping)) {
      if (field !== null && !isImportField(field)) throw failure('UNKNOWN_FIELD', { column, field });
    }
  }

  column(name: string): ImportColumn {
    const column = this.#known.get(name) ?? this.#recognise(name);
    this.#known.set(name, column);
    return column;
  }

  /** @throws {ImportFileError} If a mapped column is not in the header, because its name may be misspelt. */
  requireMapped(header: readonly string[]): void {
    for (const column of Object.keys(this.#mapping)) {
      if (!header.some((name) => isSame(name, column)))
        throw failure('MAPPED_COLUMN_MISSING', { column, found: header });
    }
  }

  /** Returns the columns of a header. It decides what ambiguous names mean, here and in later calls of `column`. */
  recognise(header: readonly string[]): ImportColumn[] {
    this.#known.clear();
    this.#hasDenomination = header.some((name) => this.#recognise(name).field === 'Denomination');
    const specific = new Set(
      header.flatMap((name) => (isGeneralHeading(name) ? [] : this.column(name).field)),
    );
    for (const name of header) {
      const { field, kind } = this.column(name);
      if (kind === 'known' && isGeneralHeading(name) && specific.has(field))
        this.#known.set(name, { name, field: null, kind: 'unknown' });
    }
    return header.map((name) => this.column(name));
  }

  /** @throws {ImportFileError} If two columns map to the same field, or the name of an attribute is not usable. */
  columns(header: readonly string[]): ImportColumn[] {
    const columns = this.recognise(header);
    for (const { name, field } of columns) {
      if (field === null) continue;
      const attribute = field.startsWith(attributePrefix) ? field.slice(attributePrefix.length) : null;
      if (attribute !== null && (attribute === '' || attribute.length > attributeNameMax))
        throw failure('ATTRIBUTE_HEADING', { column: name, limit: attributeNameMax });
      const same = columns.filter((column) => column.field === field);
      if (same.length > 1)
        throw failure('DUPLICATE_COLUMN', { field, columns: same.map(({ name }) => name) });
    }
    return columns;
  }

  #recognise(name: string): ImportColumn {
    const exact = Object.hasOwn(this.#mapping, name);
    const key = exact ? name : Object.keys(this.#mapping).find((mapped) => isSame(name, mapped));
    if (key !== undefined) {
      const mapped = this.#mapping[key] ?? null;
      const field = mapped !== null && isAttributeField(mapped) ? normalisedAttribute(mapped) : mapped;
      return { name, field, kind: field === null ? 'ignored' : 'mapped' };
    }
    if (name.trim() === '') return { name, field: null, kind: 'unnamed' };
    const person = personNames.get(foldName(name));
    if (person) {
      const { user, principal } = person;
      const [field, alternative] = this.#hasDenomination ? [user, principal] : [principal, user];
      return { name, field, kind: 'known', alternative };
    }
    const field = attributeField(name) ?? fieldsByHeading.get(foldName(name));
    return field ? { name, field, kind: 'known' } : { name, field: null, kind: 'unknown' };
  }
}

/**
 * @param accepted The fields of which a file needs at least one.
 * @param named The fields that the error names.
 * @throws {ImportFileError} If none of them has a column.
 */
export function requireField(
  columns: readonly ImportColumn[],
  accepted: readonly ImportField[],
  named = accepted,
): void {
  if (!columns.some(({ field }) => field !== null && accepted.includes(field)))
    throw failure('MISSING_COLUMN', { needed: named, found: columns.map(({ name }) => name) });
}

/** Compares names without case, accents and punctuation. Names that consist only of punctuation must be identical. */
function isSame(name: string, other: string): boolean {
  return name === other || (foldName(name) !== '' && foldName(name) === foldName(other));
}
