import { principalFields, userFields } from '@anagrafe/client';
import { type ImportField, importFields, principalColumns, userFieldNames } from './types.ts';

/** Column names that Italian and English programs write in their exports, besides the names and headings of the fields. */
const variants: { readonly [Field in ImportField]?: string } = {
  ID: `
    Principal ID; IRID; ID anagrafica`,
  ExternalKey: `
    Cod. cliente; Cod. cli.; CodCli; Codice cli.; Codice del cliente; ID cliente; Id. cliente; Numero cliente;
    N. cliente; Nr. cliente; Num. cliente; N° cliente; Rif. cliente; Codice anagrafica; Cod. anagrafica;
    Cod. anag.; Codice anagrafico; Codice soggetto; Cod. soggetto; Codice azienda; Cod. azienda; ID azienda;
    Codice ditta; Cod. ditta; Codice conto; Cod. conto; Conto cliente; Codice fornitore; Cod. fornitore;
    Codice cliente/fornitore; Cod. cli/for; Codice gestionale; Cod. gestionale; Codice ERP; Codice interno;
    Codice società; Codice organizzazione; Customer ID; Customer no.; Customer number; Customer key;
    Cust. code; Cust. ID; Cust. no.; Client code; Client ID; Client no.; Client number; Account code;
    Account ID; Account no.; Account number; Company code; Company ID; Company key; Company number;
    Organization ID; External ID; External reference; External code; Partner ID; Partner code; Debtor no.;
    Debtor number; CardCode; BP code; KUNNR; ERP code; ERP ID`,
  Denomination: `
    Ragione soc.; Rag. sociale; Rag. soc.; RagSoc; Rag. soc. 1; Ragione sociale 1; Denominazione sociale;
    Denominazione azienda; Denom.; Denom. sociale; Ditta; Società; Impresa; Nome azienda; Nome ditta;
    Nome società; Nome cliente; Cliente; Descrizione cliente; Desc. cliente; Intestazione; Intestatario;
    Ragione sociale cliente; Organizzazione; Nome organizzazione; Customer name; Customer; Client name; Client;
    Account name; Business name; Legal name; Organization; Organisation; Organization name; Organisation name;
    Trading name; CardName; Firm`,
  Surname: `
    Cognome cliente; Customer surname`,
  Vatnumber: `
    P. IVA; PIVA; Part. IVA; Partita I.V.A.; P.I.; Numero partita IVA; N. partita IVA; Nr. partita IVA;
    P. IVA cliente; Partita IVA cliente; Partita IVA azienda; Partita IVA CEE; Cod. partita IVA; VAT no.;
    VAT number; VAT ID; VAT code; VATIN; VAT reg. no.; VAT registration no.; VAT registration number;
    EU VAT number; VAT identification number; USt-IdNr.`,
  Taxcode: `
    Cod. fiscale; Cod. fisc.; Codice fisc.; C.F.; C. fiscale; C. fisc.; Cod. fiscale cliente;
    Codice fiscale cliente; Codice fiscale azienda; Fiscal code; Fiscal ID; Tax code; Tax number; Tax no.;
    Italian tax code; National tax code`,
  PrincipalEmail: `
    E-mail azienda; Mail azienda; Email aziendale; Email cliente; Mail cliente; Email ditta; Email società;
    Posta elettronica azienda; Customer email; Client email; Account email`,
  PrincipalState: `
    Stato anagrafica; Stato cliente; Stato azienda; Stato ditta; Cliente attivo; Azienda attiva;
    Customer status; Customer state; Company status; Client status; Customer active; Company active`,
  Similar: `
    Simile; Simili; Ammetti simile; Allow similar`,
  UserID: `
    ID utente`,
  Username: `
    Nome utente; Utente; Login; Login name; Nome login; Nome di login; User; User code; User login;
    Codice utente; Cod. utente; Account utente; Nome account; Utenza; Utente web; Web user; Logon; Logon name;
    User principal name; UPN; sAMAccountName; Sign-in name; Userid web`,
  Email: `
    E-mail; Indirizzo mail; Indirizzo di posta elettronica; Indirizzo posta elettronica; Indirizzo e-mail;
    Email utente; Mail utente; User email; Email referente; Mail referente; Email contatto; Contact email;
    Email 1; Mail 1; Email personale; Work email; Email lavoro`,
  Phone: `
    Tel.; Tel. 1; Telefono 1; Telephone; Telephone number; Telephone no.; Phone no.; Phone 1;
    Numero di telefono; Numero telefono; Num. telefono; N. telefono; Nr. telefono; Recapito telefonico; Cell.;
    Telefono cellulare; Tel. cellulare; Tel. cell.; Telefono mobile; N. cellulare; Mobile; Mobile phone;
    Mobile number; Mobile no.; Cell phone; Telefono utente; Telefono referente; User phone`,
  FirstName: `
    Nome persona; Nome referente; Nome contatto; Primo nome; Forename; Contact first name; User first name;
    Nome dipendente`,
  LastName: `
    Cognome utente; Cognome persona; Cognome referente; Cognome contatto; Contact last name; User last name;
    Cognome dipendente`,
  Language: `
    Codice lingua; Cod. lingua; Lingua utente; Language code; User language; Preferred language`,
  Tags: `
    Etichetta; Tags cliente; Tag cliente; Categorie; Categoria; Label; Categories; Category`,
  State: `
    Stato; Stato utente; Stato account; Stato utenza; Status; User status; User state; Attivo; Attiva;
    Attivo S/N; Attivo (sì/no); Utente attivo; Utenza attiva; Abilitato; Utente abilitato; Active; Is active;
    User active; Enabled; Is enabled; User enabled`,
  Password: `
    Pwd; Psw; Pass; Passwd; Parola chiave; Password utente; Password iniziale; Password temporanea;
    Initial password; Temporary password; User password; Chiave di accesso`,
  ConfirmPassword: `
    Conferma password; Password confirmation; Conferma pwd; Ripeti password; Repeat password;
    Verifica password; Verify password`,
  PasswordHash: `
    Hash; Hash password; Pwd hash; Password digest; Hashed password`,
};

/** Names that are too general for a file with a column of a better name, which then has the field. */
const general: { readonly [Field in ImportField]?: readonly string[] } = {
  ExternalKey: ['Codice', 'Cod.', 'Code'],
  Denomination: ['Cliente', 'Customer', 'Client', 'Intestazione', 'Intestatario'],
};

function listed(text: string): string[] {
  return text.split(';').flatMap((name) => name.trim() || []);
}

/** Returns all names by which the column of a field is recognised, without the name of the field itself. */
export function headingsOf(field: ImportField): readonly string[] {
  const [ofPrincipal] = [...principalColumns].find(([, column]) => column === field) ?? [];
  const ofUser = userFieldNames.find((name) => name === field);
  const known = ofPrincipal
    ? principalFields[ofPrincipal].headings
    : ofUser
      ? userFields[ofUser].headings
      : [];
  return [...known, ...listed(variants[field] ?? ''), ...(general[field] ?? [])];
}

/** Removes case, accents, spaces and punctuation, to compare names. */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

export const fieldsByHeading: ReadonlyMap<string, ImportField> = new Map(
  importFields.flatMap((field) =>
    [field, ...headingsOf(field)].map((name) => [foldName(name), field] as const),
  ),
);

const generalNames = new Set(
  Object.values(general).flatMap((names) => (names ?? []).map((name) => foldName(name))),
);

export function isGeneralHeading(name: string): boolean {
  return generalNames.has(foldName(name));
}

const activeWords =
  'active attivo attiva abilitato abilitata enabled si yes y true vero 1 on valido valida inforza inessere a';
const disabledWords =
  'disabled disattivo disattiva disattivato disattivata disabilitato disabilitata inactive inattivo inattiva nonattivo nonattiva ' +
  'cessato cessata sospeso sospesa suspended bloccato bloccata blocked ceased terminated closed chiuso chiusa annullato annullata ' +
  'no n false falso 0 off d';
const states: ReadonlyMap<string, string> = new Map([
  ...activeWords.split(' ').map((word) => [word, 'active'] as const),
  ...disabledWords.split(' ').map((word) => [word, 'disabled'] as const),
]);

/** Columns whose question is answered by S for sì. In a column of states, S could also be "sospeso". */
const question =
  /^(?:(?:utente|utenza|cliente|azienda|user|customer|company|is)?(?:attiv[oa]|abilitat[oa]|active|enabled))/;

/** Returns the state that a value such as `Cessato` or `Sì` means; null if it is unknown, so that the service reports it. */
export function stateOf(value: string, column: string): string | null {
  const folded = foldName(value);
  if (folded === 's') return question.test(foldName(column)) ? 'active' : null;
  return states.get(folded) ?? null;
}
