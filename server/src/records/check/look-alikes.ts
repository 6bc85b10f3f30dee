import { required } from '../../lib/required.ts';
import type { PrincipalFields } from '../fields/fields.ts';
import type { ParsedRecord } from '../parse/parsed-record.ts';
import type { CheckStore } from './check.store.ts';
import { describePrincipal, figuresOf, numbersOf } from './described-principal.ts';
import type { Form } from './look-alikes.store.ts';
import { bytesPerPrincipal } from './memory-estimates.ts';
import type { CallOptions, CheckTools } from './operation.ts';

// Finds records that would insert a principal a second time, under another key or in another spelling. This is advice to
// the caller and no constraint: of two concurrent calls that insert look-alikes, each may miss the other.

type ComparedFields = Partial<PrincipalFields>;

/** Refuses the records of one call that would insert a look-alike of a stored principal or of an earlier record. */
export class LookAlikes {
  readonly #store: CheckStore;
  readonly #options: CallOptions;
  readonly #tools: CheckTools;
  /** The forms of the valid records so far, with their fields. */
  readonly #earlier = new Map<string, ComparedFields>();

  constructor(store: CheckStore, options: CallOptions, tools: CheckTools = {}) {
    this.#store = store;
    this.#options = options;
    this.#tools = tools;
  }

  /** Returns the forms of the next records that insert a principal; none if look-alikes are allowed. */
  async find(records: readonly ParsedRecord[]): Promise<ReadonlyMap<ParsedRecord, readonly Form[]>> {
    if (this.#options.similar === 'allow' || records.length === 0) return new Map();
    this.#tools.holdMemory?.(records.length * bytesPerPrincipal);
    const forms = await this.#store.findForms(records.map((record) => required(record.principal).fields));
    const byRecord = new Map<ParsedRecord, Form[]>(records.map((record) => [record, []]));
    for (const form of forms) byRecord.get(required(records[form.index]))?.push(form);
    return byRecord;
  }

  /** Adds an error for each field that is alike. */
  refuse(record: ParsedRecord, forms: readonly Form[] = []): void {
    if (record.allowsSimilar) return;
    const { errors } = record;
    const { fields } = required(record.principal);
    for (const { likeness, text, other } of forms) {
      const earlier = this.#earlier.get(text);
      if (!other && !earlier) continue;
      const field = fieldOf(likeness, fields);
      if (other && this.#options.showsStored) {
        const figures = { ...figuresOf(other), ...numbersOf(other.fields), field };
        errors.add(field, 'LOOKS_LIKE_ANOTHER', { variant: 'stored', figures });
      } else if (other) errors.add(field, 'LOOKS_LIKE_ANOTHER', { variant: 'hidden', figures: { field } });
      // A record with the same key has an error for that.
      else if (earlier && (!earlier.ExternalKey || earlier.ExternalKey !== fields.ExternalKey)) {
        const figures = { ...describePrincipal(earlier), ...numbersOf(earlier), field };
        errors.add(field, 'LOOKS_LIKE_ANOTHER', { variant: 'call', figures });
      }
    }
  }

  /** Later records of the call must not look like this one, if it is valid. */
  add({ principal, errors }: ParsedRecord, forms: readonly Form[] = []): void {
    if (!errors.none || forms.length === 0) return;
    const { fields } = required(principal);
    for (const { text } of forms) if (!this.#earlier.has(text)) this.#earlier.set(text, fields);
  }
}

function fieldOf(likeness: Form['likeness'], { Denomination, Surname }: ComparedFields): string {
  if (likeness === 'key') return 'ExternalKey';
  if (likeness === 'vatnumber') return 'Vatnumber';
  if (likeness === 'taxcode') return 'Taxcode';
  if (Denomination) return 'Denomination';
  return Surname ? 'Surname' : 'Name';
}
