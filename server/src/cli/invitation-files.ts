import { resolve } from 'node:path';
import type { JobInvitation } from '@anagrafe/client';
import {
  byteOrderMark,
  codeColumns,
  codeLines,
  csvLine,
  invitationSheets,
  type SheetLanguage,
} from '@anagrafe/importer';
import { PrivateFile, requireEmpty } from '@anagrafe/importer/node';

export interface InvitationFileOptions {
  /** Path of the CSV file with the codes. */
  readonly codes?: string | undefined;
  /** Path of the HTML file with a page for each user. */
  readonly sheets?: string | undefined;
  /** The language of users without one. */
  readonly sheetLanguage: SheetLanguage;
}

const separator = ',';
const brand = { brand: 'Anagrafe', colour: '#1864ab' };

/** The files into which codes are written. They are created before the codes exist, and replace no other file. */
export class InvitationFiles {
  readonly #codes: PrivateFile | null;
  readonly #sheets: PrivateFile | null;
  readonly #language: SheetLanguage;

  private constructor(codes: PrivateFile | null, sheets: PrivateFile | null, language: SheetLanguage) {
    this.#codes = codes;
    this.#sheets = sheets;
    this.#language = language;
  }

  static async create({ codes, sheets, sheetLanguage }: InvitationFileOptions): Promise<InvitationFiles> {
    for (const path of [codes, sheets]) if (path !== undefined) await requireEmpty(resolve(path));
    return new InvitationFiles(
      codes === undefined ? null : await PrivateFile.create(resolve(codes)),
      sheets === undefined ? null : await PrivateFile.create(resolve(sheets)),
      sheetLanguage,
    );
  }

  /** Writes the codes. Without any, there are no files. */
  async complete(invitations: readonly JobInvitation[]): Promise<void> {
    if (invitations.every(({ Code }) => Code === null)) return;
    const head = byteOrderMark + csvLine(codeColumns, separator);
    await this.#codes?.complete([head, ...codeLines(invitations, separator)]);
    await this.#sheets?.complete(invitationSheets(invitations, { ...brand, language: this.#language }));
  }

  /** Removes files that are not complete. */
  async discard(): Promise<void> {
    await this.#codes?.discard();
    await this.#sheets?.discard();
  }
}
