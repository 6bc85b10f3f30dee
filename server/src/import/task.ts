import type { ColumnMapping, Encoding, SheetPrincipal } from '@anagrafe/client/sheet';

/** A file of users, and what is to be done with it. */
export interface ImportTask {
  readonly purpose: 'register' | 'reset';
  /** Of the file. */
  readonly path: string;
  /** Of the service. */
  readonly url: string;
  /** The public key of the API client; null where none is needed. */
  readonly caller: string | null;
  readonly columns: ColumnMapping;
  readonly encoding: Encoding | null;
  readonly separator: string | null;
  /** Of the rows that name none. */
  readonly principal: SheetPrincipal | null;
  /** Where generated passwords are written; null where every row has its own. */
  readonly passwordsPath: string | null;
  readonly failedPath: string;
  /** Where the rows go that would fail, when it is only tried. */
  readonly wouldFailPath: string;
  readonly progressPath: string;
}

/** What stopped an import, in words for whoever started it. */
export class ImportError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ImportError';
  }
}

/** How far an import has come. */
export interface ImportFigures {
  /** Of the file. */
  readonly bytesDone: number;
  readonly bytes: number;
  readonly rowsDone: number;
  readonly rowsFailed: number;
}
