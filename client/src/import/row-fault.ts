import type { Fault, Tuple } from '../api.gen.ts';
import type { SheetItem } from '../sheet/item.ts';

/** An error of a row. */
export interface RowFault {
  /** The field of the file or the field path in the record; null if the error is about the whole row. */
  readonly column: string | null;
  readonly message: string;
  /** Set if this package found the error: `message` is then English, and the code serves to translate it. */
  readonly code?: RowFaultCode;
}

/** Errors by row number. */
export type RowFaults = Map<number, readonly RowFault[]>;

type FieldErrors = Readonly<Record<string, readonly Fault[]>>;

const messages = {
  RESET_WITHOUT_PRINCIPAL: 'The principal of a UserID is named by its ID or its ExternalKey.',
  PRINCIPAL_NOT_INSERTED: 'The principal could not be inserted.',
  USERNAME_TAKEN: 'This username stands in an earlier row.',
  EXTERNAL_KEY_TAKEN: 'This external key stands in another row.',
};

/** Codes of the errors that this package finds. The service returns its own messages in the requested language. */
export type RowFaultCode = keyof typeof messages;

/** Creates an error that this package found, with its English message. */
export function foundHere(code: RowFaultCode, column: string | null = null): RowFault {
  return { column, message: messages[code], code };
}

/** Converts the field errors of a record to errors of its row. A row of one user has columns instead of field paths. */
export function faultsOf(faults: FieldErrors, kind: SheetItem['kind'] = 'user'): RowFault[] {
  return Object.entries(faults).flatMap(([path, found]) => {
    // An error of the password makes that of its confirmation redundant.
    if (path === confirmationPath && 'Users[0].Password' in faults) return [];
    const column = columnOf(path, kind);
    const named = ['', 'Record', '$'].includes(column) ? null : column;
    return found.map(({ message }) => ({ column: named, message }));
  });
}

/** Returns the errors of a principal by column, or the message of its tuple if it has no field errors. */
export function principalFaults(tuple: Tuple): RowFault[] {
  const faults = faultsOf(tuple.Item5);
  return faults.length > 0 ? faults : [reasonOf(tuple)];
}

/** Returns the message of the tuple of a principal that was not inserted, as an error of the whole row. */
export function reasonOf({ Item4 }: Tuple): RowFault {
  return Item4 === null ? foundHere('PRINCIPAL_NOT_INSERTED') : aboutRow(Item4);
}

/** Creates an error of the whole row. */
export function aboutRow(message: string): RowFault {
  return { column: null, message };
}

/** Formats an error with its column: `Username: it is taken.` */
export function sentenceOf({ column, message }: RowFault): string {
  return column === null ? message : `${column}: ${message}`;
}

const confirmationPath = 'Users[0].ConfirmPassword';
const columnsByPath: Readonly<Record<string, string>> = { 'Users[0].ID': 'UserID', Email: 'PrincipalEmail' };

/**
 * Converts a field path to a column if the row has one user: `Users[0].Email` becomes `Email`, and `Users[0]` becomes
 * an empty string. Returns the path unchanged if the row is a record.
 */
export function columnOf(path: string, kind: SheetItem['kind']): string {
  return kind === 'user' ? (columnsByPath[path] ?? path.replace(/^Users\[0\]\.?/, '')) : path;
}
