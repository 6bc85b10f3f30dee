import type { SheetField } from './columns/fields.ts';
import { fault, type SheetFault } from './fault.ts';

/** What a row says of the principal. Where there is an `ID`, it says which one; the texts beside it may be what it is called by. */
export interface SheetPrincipal {
  readonly ID?: number;
  readonly ExternalKey?: string;
  readonly Denomination?: string;
  readonly Surname?: string;
  readonly Name?: string;
  readonly Vatnumber?: string;
  readonly Taxcode?: string;
  readonly Email?: string;
}

/** A user to be registered, as the interface takes it. */
export interface SheetRegistration {
  readonly Username: string;
  readonly Email?: string;
  readonly Password?: string;
  readonly ConfirmPassword?: string;
  readonly PasswordHash?: string;
  readonly ID?: never;
}

/** A user whose password is to be reset: by its ID, as the interface takes it, or by its name, to be looked up first. */
export interface SheetReset {
  readonly ID?: number;
  readonly Username?: string;
  readonly Password?: string;
  readonly ConfirmPassword?: string;
  readonly Email?: never;
  readonly PasswordHash?: never;
}

/** The cells of a row by field. An empty cell is absent. */
export type Values = { readonly [Field in SheetField]?: string };

export interface SheetUser {
  readonly principal: SheetPrincipal;
  readonly user: SheetRegistration | SheetReset;
}

/** Digits alone: "1e3" and "1.5" are no IDs, and neither is "007", which may be a code. */
const wholeNumber = /^[1-9]\d*$/;

/** What has to be known beside a row to understand it. */
export interface Terms {
  /** The principal of rows that name none. */
  readonly principal: SheetPrincipal | null;
  /** Whether passwords are to be reset: then a username names a user that there is. */
  readonly resets: boolean;
}

/** What a row says. The rules of the fields are the service's; here it is only told what the row means. */
export function readUser(values: Values, terms: Terms): SheetUser | SheetFault[] {
  const faults: SheetFault[] = [];
  const principal = readPrincipal(values, faults) ?? terms.principal;
  const named = terms.resets && values.Username !== undefined;
  if (!principal && !named) faults.push(fault('NO_PRINCIPAL', {}));
  const user = readUserFields(values, terms, faults);
  return faults.length === 0 && user ? { principal: principal ?? {}, user } : faults;
}

const principalTexts = ['ExternalKey', 'Denomination', 'Surname', 'Name', 'Vatnumber', 'Taxcode'] as const;
const secrets = ['Password', 'ConfirmPassword'] as const;
const ofRegistration = ['Email', ...secrets, 'PasswordHash'] as const;
const notOfReset = ['Email', 'PasswordHash'] as const;
/** A file of users has their addresses, which say nothing in a reset and do no harm. */
const notOfNamedReset = ['PasswordHash'] as const;

function readPrincipal(values: Values, faults: SheetFault[]): SheetPrincipal | null {
  const principal: { -readonly [Name in keyof SheetPrincipal]: SheetPrincipal[Name] } = {};
  if (values.ID !== undefined) principal.ID = readId('ID', values.ID, faults);
  copyTexts(values, principalTexts, principal);
  if (values.PrincipalEmail !== undefined) principal.Email = values.PrincipalEmail;
  return Object.keys(principal).length > 0 ? principal : null;
}

function readUserFields(values: Values, { resets }: Terms, faults: SheetFault[]): SheetUser['user'] | null {
  const { Username, UserID } = values;
  if (values.Password !== values.ConfirmPassword) faults.push(fault('PASSWORDS_DIFFER', {}));
  if (Username !== undefined && UserID !== undefined) faults.push(fault('AMBIGUOUS_USER', {}));
  else if (Username !== undefined && !resets) return copyTexts(values, ofRegistration, { Username });
  else if (UserID === undefined && Username === undefined) faults.push(fault('UNRECOGNISED_USER', {}));
  else {
    for (const field of resets ? notOfNamedReset : notOfReset)
      if (values[field] !== undefined) faults.push(fault('NOT_FOR_RESET', { field }));
    const who = UserID === undefined ? { Username } : { ID: readId('UserID', UserID, faults) };
    return copyTexts(values, secrets, who as SheetReset);
  }
  return null;
}

function readId(field: SheetField, text: string, faults: SheetFault[]): number {
  const id = Number(text);
  if (!wholeNumber.test(text) || !Number.isSafeInteger(id)) faults.push(fault('INVALID_ID', { field }));
  return id;
}

/** The target, with those of the fields that are there. */
function copyTexts<Target extends object, Field extends SheetField>(
  values: Values,
  fields: readonly Field[],
  target: Target,
): Target & { readonly [Name in Field]?: string } {
  const copy = target as Record<string, unknown>;
  for (const field of fields) {
    if (values[field] !== undefined) copy[field] = values[field];
  }
  return target;
}
