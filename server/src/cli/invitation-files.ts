import { resolve } from 'node:path';
import type { JobInvitation } from '@anagrafe/client';
import {
  byteOrderMark,
  codeColumns,
  codeLines,
  csvLine,
  invitationSheets,
  type SheetLanguage,
  type SheetOptions,
} from '@anagrafe/importer';
import { PrivateFile, requireEmpty } from '@anagrafe/importer/node';
import type { Config } from '../settings/config.ts';

export interface InvitationFileOptions {
  /** Path of the CSV file with the codes. */
  readonly codes?: string | undefined;
  /** Path of the HTML file with a page for each user. */
  readonly sheets?: string | undefined;
  /** The language of users without one. */
  readonly sheetLanguage: SheetLanguage;
}

const separator = ',';

/** The files into which codes are written. They are created before the codes exist, and replace no other file. */
export class InvitationFiles {
  readonly #codes: PrivateFile | null;
  readonly #sheets: PrivateFile | null;
  readonly #options: SheetOptions;

  private constructor(codes: PrivateFile | null, sheets: PrivateFile | null, options: SheetOptions) {
    this.#codes = codes;
    this.#sheets = sheets;
    this.#options = options;
  }

  static async create(
    { codes, sheets, sheetLanguage }: InvitationFileOptions,
    { BRAND_NAME, BRAND_COLOR }: Pick<Config, 'BRAND_NAME' | 'BRAND_COLOR'>,
  ): Promise<InvitationFiles> {
    for (const path of [codes, sheets]) if (path !== undefined) await requireEmpty(resolve(path));
    return new InvitationFiles(
      codes === undefined ? null : await PrivateFile.create(resolve(codes)),
      sheets === undefined ? null : await PrivateFile.create(resolve(sheets)),
      { brand: BRAND_NAME, colour: BRAND_COLOR, language: sheetLanguage },
    );
  }

  /** Writes the codes. Without any, there are no files. */
  async complete(invitations: readonly JobInvitation[]): Promise<void> {
    if (invitations.every(({ Code }) => Code === null)) return;
    const head = byteOrderMark + csvLine(codeColumns, separator);
    await this.#codes?.complete([head, ...codeLines(invitations, separator)]);
    await this.#sheets?.complete(invitationSheets(invitations, this.#options));
  }

  /** Removes files that are not complete. */
  async discard(): Promise<void> {
    await this.#codes?.discard();
    await this.#sheets?.discard();
  }
}
