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
}

/** A user whose password is to be reset, as the interface takes it. */
export interface SheetReset {
  readonly ID: number;
  readonly Password?: string;
  readonly ConfirmPassword?: string;
}

/** The cells of a row by field. An empty cell is absent. */
export type Values = { readonly [Field in SheetField]?: string };

export interface SheetUser {
  readonly principal: SheetPrincipal;
  readonly user: SheetRegistration | SheetReset;
}

/** Digits alone: "1e3" and "1.5" are no IDs, and neither is "007", which may be a code. */
const wholeNumber = /^[1-9]\d*$/;

/**
 * What a row says. The rules of the fields are the service's; here it is only told what the row means.
 *
 * @param everywhere the principal of rows that name none
 */
export function readUser(values: Values, everywhere: SheetPrincipal | null): SheetUser | SheetFault[] {
  const faults: SheetFault[] = [];
  const principal = readPrincipal(values, faults) ?? everywhere;
  if (!principal) faults.push(fault('NO_PRINCIPAL', {}));
  const user = readUserFields(values, faults);
  return faults.length === 0 && principal && user ? { principal, user } : faults;
}

const principalTexts = ['ExternalKey', 'Denomination', 'Surname', 'Name', 'Vatnumber', 'Taxcode'] as const;
const secrets = ['Password', 'ConfirmPassword'] as const;
const ofRegistration = ['Email', ...secrets, 'PasswordHash'] as const;
const notOfReset = ['Email', 'PasswordHash'] as const;

function readPrincipal(values: Values, faults: SheetFault[]): SheetPrincipal | null {
  const principal: { -readonly [Name in keyof SheetPrincipal]: SheetPrincipal[Name] } = {};
  if (values.ID !== undefined) principal.ID = readId('ID', values.ID, faults);
  copyTexts(values, principalTexts, principal);
  if (values.PrincipalEmail !== undefined) principal.Email = values.PrincipalEmail;
  return Object.keys(principal).length > 0 ? principal : null;
}

function readUserFields(values: Values, faults: SheetFault[]): SheetUser['user'] | null {
  const { Username, UserID } = values;
  if (values.Password !== values.ConfirmPassword) faults.push(fault('PASSWORDS_DIFFER', {}));
  if (Username !== undefined && UserID !== undefined) faults.push(fault('AMBIGUOUS_USER', {}));
  else if (Username !== undefined) return copyTexts(values, ofRegistration, { Username });
  else if (UserID === undefined) faults.push(fault('UNRECOGNISED_USER', {}));
  else {
    for (const field of notOfReset)
      if (values[field] !== undefined) faults.push(fault('NOT_FOR_RESET', { field }));
    return copyTexts(values, secrets, { ID: readId('UserID', UserID, faults) });
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
