import type { SheetField } from './columns/fields.ts';
import { fault, type SheetFault } from './fault.ts';

/** The principal fields of a row. `ID` refers to an existing principal; the other fields are then only informative. */
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

/** A user to register, in the form of the API. */
export interface SheetRegistration {
  readonly Username: string;
  readonly Email?: string;
  readonly Password?: string;
  readonly ConfirmPassword?: string;
  readonly PasswordHash?: string;
  readonly ID?: never;
}

/** A password to reset. The API takes only the `ID` of the user: the caller must look up the ID of a `Username`. */
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

/** A user of a row and the principal fields of the same row. */
export interface SheetUser {
  readonly principal: SheetPrincipal;
  readonly user: SheetRegistration | SheetReset;
}

/** Rejects "1e3" and "1.5", which are not IDs, and "007", which may be another code. */
const wholeNumber = /^[1-9]\d*$/;

/** Options of `openSheet` that affect the interpretation of a row. */
export interface Terms {
  /** The principal of rows that have no principal fields; null if there is none. */
  readonly principal: SheetPrincipal | null;
  /** True if the file resets passwords: a username then refers to an existing user. */
  readonly resets: boolean;
}

/** Interprets the cells of a row. It does not validate the values of the fields, which the service does. */
export function readUser(values: Values, terms: Terms): SheetUser | SheetFault[] {
  const faults: SheetFault[] = [];
  const principal = readPrincipal(values, faults) ?? terms.principal;
  const resetsByName = terms.resets && values.Username !== undefined;
  if (!principal && !resetsByName) faults.push(fault('NO_PRINCIPAL', {}));
  const user = readUserFields(values, terms, faults);
  return faults.length === 0 && user ? { principal: principal ?? {}, user } : faults;
}

const principalTexts = ['ExternalKey', 'Denomination', 'Surname', 'Name', 'Vatnumber', 'Taxcode'] as const;
const secrets = ['Password', 'ConfirmPassword'] as const;
const registrationFields = ['Email', ...secrets, 'PasswordHash'] as const;
const invalidForReset = ['Email', 'PasswordHash'] as const;
/** Allows `Email` in a file that resets passwords, because a list of users often has addresses. It is ignored. */
const invalidInResetFile = ['PasswordHash'] as const;

/** Returns null if the row has no principal fields. */
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
  else if (Username !== undefined && !resets) return copyTexts(values, registrationFields, { Username });
  else if (UserID === undefined && Username === undefined) faults.push(fault('UNRECOGNISED_USER', {}));
  else {
    for (const field of resets ? invalidInResetFile : invalidForReset)
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

/** Copies the fields that are present to `target` and returns it. */
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
