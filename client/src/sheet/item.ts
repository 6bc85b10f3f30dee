import type { Bookmark } from './bookmark.ts';
import type { SheetFault } from './fault.ts';
import type { JsonObject } from './json/element.ts';
import type { SheetUser } from './user.ts';

/** A row as written in the file: the cells of a CSV or a JSON object. Null if it could not be parsed. */
export type SheetSource = readonly string[] | JsonObject | null;

interface Item {
  /** Row number, from 1: the first row after the header or, in JSON, the first element. */
  readonly row: number;
  /** Number of the line on which the row begins, from 1. */
  readonly line: number;
  /** The end of the row, from which a later `openSheet` can continue. */
  readonly end: Bookmark;
  readonly source: SheetSource;
}

/** A row with one user to register or one password to reset. */
export interface UserItem extends Item, SheetUser {
  readonly kind: 'user';
}

/** A record of the API with its `Users`, from JSON. It is not validated. */
export interface RecordItem extends Item {
  readonly kind: 'record';
  readonly record: JsonObject;
}

/** A row that cannot be parsed or interpreted, with its errors. */
export interface FaultyItem extends Item {
  readonly kind: 'fault';
  readonly faults: readonly SheetFault[];
}

export type SheetItem = UserItem | RecordItem | FaultyItem;

/** The interpretation of a row, without its position in the file. */
export type Meaning =
  | { readonly kind: 'user'; readonly principal: SheetUser['principal']; readonly user: SheetUser['user'] }
  | { readonly kind: 'record'; readonly record: JsonObject }
  | { readonly kind: 'fault'; readonly faults: readonly SheetFault[] };

/** Interprets the rows of one format. */
export interface RowReader<Content extends SheetSource> {
  /** Removes the columns and apostrophes that `FailedRows` adds. Returns the content of other files unchanged. */
  original(content: Content): Content;
  /** Interprets the result of `original`. */
  meaning(original: Content): Meaning;
}

/** Converts a result of `readUser`. */
export function meant(result: SheetUser | SheetFault[]): Meaning {
  return Array.isArray(result) ? { kind: 'fault', faults: result } : { kind: 'user', ...result };
}
