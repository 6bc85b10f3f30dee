/** Those that say which principal a user belongs to, or what it is called. */
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

/** What a column can hold: the fields of the interface; `UserID` is that of a user whose password is reset. */
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

/** How columns are named beside the names of the fields themselves, in English and Italian. */
const otherNames: { readonly [Field in SheetField]?: readonly string[] } = {
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
    [field, ...(otherNames[field] ?? [])].map((name) => [folded(name), field] as const),
  ),
);

export function isSheetField(name: string): name is SheetField {
  return (sheetFields as readonly string[]).includes(name);
}

/** The field that a column is named after. */
export function fieldNamed(name: string): SheetField | undefined {
  return fieldsByName.get(folded(name));
}

/** A name without regard to case, accents, spaces and punctuation. */
export function folded(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
