/** Fields that identify or describe the principal of a user. */
export const principalFields = [
  'ID',
  'ExternalKey',
  'Denomination',
  'Surname',
  'Name',
  'Vatnumber',
  'Taxcode',
  'PrincipalEmail',
] as const;

/**
 * All fields that a column can map to, named as in the API. `ID` and `PrincipalEmail` belong to the principal; `UserID`
 * is the ID of the user whose password is reset.
 */
export const sheetFields = [
  ...principalFields,
  'UserID',
  'Username',
  'Email',
  'Password',
  'ConfirmPassword',
  'PasswordHash',
] as const;

export type SheetField = (typeof sheetFields)[number];

/** Other column names that are recognised, in English and Italian. */
const aliases: { readonly [Field in SheetField]?: readonly string[] } = {
  ID: ['Principal ID', 'IRID', 'ID anagrafica'],
  ExternalKey: ['Codice cliente', 'Chiave esterna', 'Customer code'],
  Denomination: ['Ragione sociale', 'Denominazione', 'Company', 'Company name', 'Azienda'],
  Surname: ['Cognome', 'Last name'],
  Name: ['Nome', 'First name'],
  Vatnumber: ['Partita IVA', 'P.IVA', 'VAT'],
  Taxcode: ['Codice fiscale'],
  PrincipalEmail: ['Email azienda', 'Company email'],
  UserID: ['ID utente'],
  Username: ['Nome utente', 'Utente', 'Login'],
  Email: ['Posta elettronica', 'Mail', 'Email address', 'Indirizzo email'],
  ConfirmPassword: ['Conferma password', 'Password confirmation'],
  PasswordHash: ['Hash'],
};

const fieldsByName = new Map<string, SheetField>(
  sheetFields.flatMap((field) =>
    [field, ...(aliases[field] ?? [])].map((name) => [folded(name), field] as const),
  ),
);

export function isSheetField(name: string): name is SheetField {
  return (sheetFields as readonly string[]).includes(name);
}

/** Returns the field with this name or alias; undefined if the name is not recognised. */
export function fieldNamed(name: string): SheetField | undefined {
  return fieldsByName.get(folded(name));
}

/** Removes case, accents, spaces and punctuation, to compare names. */
export function folded(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
