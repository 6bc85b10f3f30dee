import type { FileError, FileErrorCode, FileErrorParams, WorkbookPart } from '../file/errors.ts';
import { identityText } from './look-alikes.ts';
import {
  type ColumnNamesByField,
  formatRowError,
  type LookAlike,
  type RowError,
  type RowErrorCode,
} from './row-errors.ts';

const workbookParts: Readonly<Record<WorkbookPart, (limit: string) => string>> = {
  sheets: (limit) => `più di ${limit} fogli`,
  relations: (limit) => `più di ${limit} relazioni`,
  formats: (limit) => `più di ${limit} formati di cella`,
  rows: (limit) => `più di ${limit} righe, comprese quelle vuote`,
  cell: (limit) => `una cella con più di ${limit} caratteri`,
  xml: (limit) => `un tag o un testo con più di ${limit} caratteri`,
};

const fileErrors: { readonly [Code in FileErrorCode]: (params: FileErrorParams[Code]) => string } = {
  BINARY_FILE: () => 'Non è un file CSV, JSON, NDJSON o .xlsx. Scegli un file in uno di questi formati.',
  SPREADSHEET_FILE: () =>
    'È un foglio di calcolo come .xls o .ods. Salvalo come .xlsx o come "CSV UTF-8" e importa quel file.',
  INVALID_WORKBOOK: ({ place }) =>
    `Il file .xlsx non è leggibile${place === null ? '' : ` (${place})`}. Aprilo e salvalo di nuovo, oppure salvalo come "CSV UTF-8".`,
  WORKBOOK_TOO_LARGE: ({ limit }) =>
    `Il file .xlsx contiene più di ${Math.floor(limit / 1_048_576)} MB di dati. Salva il foglio come "CSV UTF-8": un file CSV può avere qualsiasi dimensione.`,
  WORKBOOK_LIMIT: ({ part, limit }) =>
    `Il file .xlsx contiene ${workbookParts[part](limit.toLocaleString('it'))}. Salva il foglio come "CSV UTF-8" e importa quel file.`,
  SHEET_NOT_FOUND: ({ sheet, found }) => `Manca il foglio "${sheet}". Fogli trovati: ${quoted(found)}.`,
  NOT_IN_ENCODING: ({ line, encoding }) =>
    `La riga ${line} contiene byte non validi in ${encoding}. Salva il file come CSV UTF-8.`,
  ENCODING_CHANGES: ({ line, from, to }) =>
    `Codifica mista: ${from}, poi ${to} dalla riga ${line}. Salva il file con una sola codifica.`,
  NO_HEADER: () => 'Il file è vuoto: manca la riga con i nomi delle colonne.',
  INVALID_SEPARATOR: () =>
    'Il separatore deve essere un solo carattere, diverso dalle virgolette e dal fine riga.',
  NUL_IN_HEADER: ({ line }) =>
    `La riga ${line} contiene un carattere NUL: non è un file di testo, oppure è UTF-16 senza BOM.`,
  UNCLOSED_QUOTE: ({ line, limit }) =>
    `Le virgolette aperte alla riga ${line} non vengono chiuse entro ${limit} caratteri o entro la fine del file.`,
  NOT_A_LIST: ({ line, column }) =>
    `Riga ${line}, colonna ${column}: il file deve contenere un array JSON o un oggetto JSON per riga.`,
  EXPORT_FILE: () =>
    'Questo file è un export NDJSON, che non si può importare. Esporta anagrafiche e utenti in CSV e importa quel file.',
  MISSING_COLUMN: ({ needed, found }) =>
    `Manca la colonna ${needed.join(' o ')}. Colonne trovate: ${quoted(found)}. Controlla che la prima riga contenga i nomi delle colonne, oppure assegna una colonna a questo campo.`,
  DUPLICATE_COLUMN: ({ field, columns }) =>
    `Più colonne sono assegnate a ${field}: ${quoted(columns)}. Lasciane una sola.`,
  MAPPED_COLUMN_MISSING: ({ column, found }) =>
    `Manca la colonna "${column}". Colonne trovate: ${quoted(found)}.`,
  UNKNOWN_FIELD: ({ column, field }) => `Il campo "${field}", assegnato a "${column}", non esiste.`,
  ATTRIBUTE_HEADING: ({ column, limit }) =>
    `La colonna "${column}" non ha un nome utilizzabile per un attributo. Usa da 1 a ${limit} lettere, cifre, punti, trattini o trattini bassi dopo "Attributes.".`,
  INVALID_JSON: ({ line, column }) => `Riga ${line}, colonna ${column}: JSON non valido.`,
  NOT_AN_OBJECT: ({ line, column }) => `Riga ${line}, colonna ${column}: serve un oggetto.`,
  DUPLICATE_NAME: ({ line, column }) =>
    `Riga ${line}, colonna ${column}: l'oggetto contiene due volte lo stesso nome.`,
  ROW_TOO_LARGE: ({ line, limit }) => `La riga ${line} supera il limite di ${limit} caratteri.`,
  TOO_MANY_COLUMNS: ({ line, limit }) =>
    `La riga ${line} ha un valore oltre la colonna ${limit}, l'ultima che viene letta. Elimina le colonne successive oppure salva il foglio come "CSV UTF-8".`,
  TEXT_AFTER_QUOTE: ({ line }) =>
    `Riga ${line}: testo dopo le virgolette di chiusura. Le virgolette interne vanno raddoppiate.`,
  NUL_CHARACTER: ({ line }) => `La riga ${line} contiene un carattere NUL.`,
  TOO_MANY_CELLS: ({ expected, found }) =>
    `Celle nella riga: ${found} invece di ${expected}. Togli le celle in più, oppure metti tra virgolette un valore che contiene il separatore.`,
  TOO_FEW_CELLS: ({ expected, found }) =>
    `Celle nella riga: ${found} invece di ${expected}. Aggiungi le celle mancanti.`,
  UNNAMED_COLUMN: ({ column }) => `La colonna ${column} contiene un valore ma non ha un nome.`,
  UNKNOWN_COLUMN: ({ column }) => `"${column}" non è una colonna della prima riga.`,
  NOT_A_TEXT: ({ column }) => `"${column}" deve essere un testo tra virgolette.`,
  DAMAGED_NUMBER: ({ column }) =>
    `"${column}" è stato modificato da un foglio di calcolo, che lo ha trattato come numero e ne ha perso delle cifre. Inserisci di nuovo il valore in una colonna con formato "Testo".`,
  FORMULA_ERROR: ({ column }) =>
    `"${column}" contiene l'errore di una formula invece di un valore. Correggi la formula o inserisci il valore.`,
  INVALID_ID: ({ field }) => `${field} deve essere un numero intero maggiore di zero.`,
  AMBIGUOUS_USER: () =>
    'Indica Username per registrare un utente oppure UserID per reimpostare la password, non entrambi.',
  UNRECOGNISED_USER: () => 'Manca il nome utente (Username).',
  NOT_FOR_RESET: ({ field }) => `${field} non è ammesso quando si reimposta una password.`,
  NO_PRINCIPAL: () => "Manca l'anagrafica dell'utente.",
  ATTRIBUTES_NOT_JSON: () =>
    'Attributes deve essere un oggetto JSON, ad esempio {"Reparto": "Vendite"}. Un singolo valore va in una colonna propria, ad esempio Attributes.Reparto.',
  PASSWORDS_DIFFER: () => 'Password e ConfirmPassword non coincidono.',
};

const rowErrors: Readonly<Record<Exclude<RowErrorCode, 'CONTRADICTS_ROW'>, string>> = {
  RESET_IN_IMPORT: 'Questa riga reimposta una password. Usa "anagrafe reset".',
  OPERATION_IN_IMPORT: 'L\'importazione registra utenti. Togli "Operation" o invia il record a irs/update.',
  RECORD_TOO_LARGE: 'Il record ha più di 10.000 utenti. Dividili in più record della stessa anagrafica.',
  PRINCIPAL_TOO_LARGE:
    'Il file ha più di 10.000 utenti di questa anagrafica, troppi per confrontarli insieme. Usa "anagrafe import --update".',
  COMPANY_UNKNOWN:
    "La riga non ha codice (ExternalKey) né ID, né partita IVA, codice fiscale o nome che indichi l'azienda. Aggiungine uno, oppure importa con --without-key separate.",
  COMPANY_AMBIGUOUS:
    'La riga non ha codice (ExternalKey) né ID, e la sua partita IVA, il codice fiscale o il nome corrispondono a più aziende del file. Aggiungi il codice, oppure importa con --without-key separate.',
  DISABLED_WITHOUT_KEY:
    "Un'anagrafica senza codice (ExternalKey) viene creata solo con utenti attivi. Aggiungi il codice o lascia vuoto lo stato.",
  RESET_WITHOUT_PRINCIPAL: "Con UserID, indica l'anagrafica con ID o ExternalKey.",
  USER_NOT_FOUND: 'Utente non trovato.',
  PRINCIPAL_NOT_FOUND:
    'Nessuna anagrafica con questo codice (ExternalKey). Per crearla, aggiungi almeno la ragione sociale (Denomination).',
  RECORD_NOT_APPLIED:
    "Il servizio ha scartato il record senza indicare il motivo. Riprova; se si ripete, contatta l'amministratore.",
  DUPLICATE_USERNAME: 'Nome utente già presente in una riga precedente.',
  PRINCIPAL_UNNAMED: "La riga non indica l'anagrafica: mancano codice (ExternalKey) e ID.",
  PRINCIPAL_NAMED_TWICE: "Un'altra riga del file indica la stessa anagrafica in un altro modo.",
  EXCHANGE_TOO_LARGE:
    'Questa anagrafica e altre del file si scambiano utenti e insieme sono troppo grandi per una sola chiamata. Sposta prima questi utenti, con un file che contiene solo loro.',
  ID_CONTRADICTS_KEY: 'ID e codice (ExternalKey) della riga appartengono ad anagrafiche diverse.',
  EMPTY_CONTRADICTS_ROW:
    "La cella è vuota e svuoterebbe il campo, ma un'altra riga ha un valore per la stessa anagrafica.",
  PASSWORD_MISSING: 'Manca la password (Password o PasswordHash).',
};

/** Returns the Italian message of an error in a file or in a row. */
export function fileErrorInItalian({ code, params }: FileError): string {
  const format = fileErrors[code] as (params: FileError['params']) => string;
  return format(params);
}

/** Returns the Italian message of a row error. An error without a code comes from the service, already in Italian. */
export function rowErrorInItalian({ code, fileError, contradiction, lookAlike, message }: RowError): string {
  if (fileError) return fileErrorInItalian(fileError);
  if (lookAlike) return lookAlikeInItalian(lookAlike);
  if (contradiction) {
    const { value, earlier, line, unit } = contradiction;
    return `"${value}" contraddice ${unit === 'record' ? 'il record' : 'la riga'} ${line}, che per la stessa anagrafica ha "${earlier}".`;
  }
  return code && code !== 'CONTRADICTS_ROW' ? rowErrors[code] : message;
}

function lookAlikeInItalian({ columns, own, other }: LookAlike): string {
  const accept =
    'Se sono giuste entrambe, scrivi "allow" in una colonna Similar, oppure usa --similar allow.';
  const alike = `L'anagrafica somiglia a un'altra (${columns.join(', ')}).`;
  if (!other) return `${alike} ${accept}`;
  const where = other.ID === null ? 'Prima, nel file' : `In archivio con ID ${other.ID}`;
  return `${alike} Questa riga: ${identityText(own)}. ${where}: ${identityText(other)}. ${accept}`;
}

/** The languages of the reasons in a file of failed rows. */
export const languages = ['en', 'it'] as const;
export type Language = (typeof languages)[number];

/** How the errors of a file are described. */
export interface ErrorTextOptions {
  readonly language: Language;
  /** The names of the columns in the file. Default: the names of the fields. */
  readonly names?: ColumnNamesByField;
}

/** Formats an error with its column in a language. */
export function describeRowError(error: RowError, { language, names }: ErrorTextOptions): string {
  const message = language === 'it' ? rowErrorInItalian(error) : error.message;
  return formatRowError({ ...error, message }, names);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
