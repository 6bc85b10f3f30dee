import type { RowFault, RowFaultCode } from '@anagrafe/client/import';
import type { FaultCode, FaultFigures, SheetFault } from '@anagrafe/client/sheet';

const sentences: { readonly [Code in FaultCode]: (figures: FaultFigures[Code]) => string } = {
  SPREADSHEET_FILE: () => 'È il file di un foglio di calcolo. Salvalo prima da lì come "CSV UTF-8".',
  NOT_IN_ENCODING: ({ line, encoding }) => `La riga ${line} ha byte che non sono ${encoding}.`,
  ENCODING_CHANGES: ({ line, from, to }) =>
    `Il file è prima ${from} e alla riga ${line} ${to}. Salvalo di nuovo in una sola codifica.`,
  NO_HEADER: () => 'Il file è vuoto: manca la riga con i nomi delle colonne.',
  INVALID_SEPARATOR: () => 'Un separatore è un solo carattere, né virgolette né fine riga.',
  NUL_IN_HEADER: ({ line }) =>
    `La riga ${line} ha un carattere NUL: non è un testo, oppure è UTF-16 senza indicatore all'inizio.`,
  UNCLOSED_QUOTE: ({ line, limit }) =>
    `Le virgolette aperte alla riga ${line} non si chiudono, né prima della fine del file né entro ${limit} caratteri.`,
  NOT_A_LIST: ({ line, column }) =>
    `Alla riga ${line}, colonna ${column}, il file non è né un array JSON né un oggetto JSON per riga.`,
  MISSING_COLUMN: ({ needed, found }) =>
    `Manca una colonna per ${needed.join(' o ')}. Ci sono: ${listed(found)}. Scegli quale sia; la prima riga è quella con i nomi?`,
  DUPLICATE_COLUMN: ({ field, columns }) =>
    `${listed(columns)} sarebbero tutte ${field}. Lasciane letta una sola.`,
  MAPPED_COLUMN_MISSING: ({ column, found }) => `Manca la colonna "${column}". Ci sono: ${listed(found)}.`,
  UNKNOWN_FIELD: ({ column, field }) => `"${column}" non può essere "${field}": questo campo non esiste.`,
  INVALID_JSON: ({ line, column }) => `Alla riga ${line}, colonna ${column}, questo non è JSON valido.`,
  NOT_AN_OBJECT: ({ line, column }) => `Alla riga ${line}, colonna ${column}, ci vuole un oggetto.`,
  DUPLICATE_NAME: ({ line, column }) =>
    `Nell'oggetto alla riga ${line}, colonna ${column}, un nome compare due volte.`,
  ROW_TOO_LARGE: ({ line, limit }) => `La riga che comincia alla riga ${line} ha più di ${limit} caratteri.`,
  TEXT_AFTER_QUOTE: ({ line }) =>
    `Alla riga ${line} c'è del testo dopo le virgolette di chiusura. Le virgolette tra virgolette si scrivono doppie.`,
  NUL_CHARACTER: ({ line }) => `La riga che comincia alla riga ${line} ha un carattere NUL.`,
  WRONG_CELL_COUNT: ({ expected, found }) => `La riga ha ${found} celle invece di ${expected}.`,
  UNNAMED_COLUMN: ({ column }) => `La colonna ${column} ha un valore, ma non un nome.`,
  UNKNOWN_COLUMN: ({ column }) => `"${column}" non è noto e non compare nella prima riga.`,
  NOT_A_TEXT: ({ column }) => `"${column}" deve essere un testo tra virgolette.`,
  INVALID_ID: ({ field }) => `${field} non è un numero intero da 1 in su, scritto con sole cifre.`,
  AMBIGUOUS_USER: () => 'Username e UserID insieme: non è né una registrazione né una reimpostazione.',
  UNRECOGNISED_USER: () => 'Manca un Username, per una registrazione, o uno UserID, per una reimpostazione.',
  NOT_FOR_RESET: ({ field }) => `${field} non può stare in una reimpostazione.`,
  NO_PRINCIPAL: () => "Nulla dice a quale anagrafica appartiene l'utente.",
  PASSWORDS_DIFFER: () => 'Password e ConfirmPassword sono diverse.',
};

/** What is wrong with a file or a row; in English the sheet says it itself. */
export function faultInItalian({ code, figures }: SheetFault): string {
  const say = sentences[code] as (figures: SheetFault['figures']) => string;
  return say(figures);
}

const rowSentences: Readonly<Record<RowFaultCode, string>> = {
  RESET_WITHOUT_PRINCIPAL: "L'anagrafica di uno UserID si indica con il suo ID o la sua ExternalKey.",
  PRINCIPAL_NOT_INSERTED: "Non è stato possibile inserire l'anagrafica.",
  USERNAME_TAKEN: 'Questo nome utente compare in una riga precedente.',
  EXTERNAL_KEY_TAKEN: "Questa chiave esterna compare in un'altra riga.",
};

/** The same for what is found wrong with the record of a row before the service is asked; what that says is in Italian. */
export function rowFaultInItalian({ code, message }: RowFault): string {
  return code ? rowSentences[code] : message;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
