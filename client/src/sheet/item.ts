import type { Bookmark } from './bookmark.ts';
import type { SheetFault } from './fault.ts';
import type { JsonObject } from './json/element.ts';
import type { SheetUser } from './user.ts';

/** A row as it stood in the file: the cells of a CSV, or an object. Null where it could not be read. */
export type SheetSource = readonly string[] | JsonObject | null;

interface Item {
  /** From 1, the first after the header; in JSON, the first element. */
  readonly row: number;
  /** The line on which the row begins. */
  readonly line: number;
  /** Where the row ends, to read on from there another time. */
  readonly end: Bookmark;
  readonly source: SheetSource;
}

/** One user, to be registered or to have the password reset. */
export interface UserItem extends Item, SheetUser {
  readonly kind: 'user';
}

/** A record of the interface with its `Users`, from JSON. Nothing in it was checked. */
export interface RecordItem extends Item {
  readonly kind: 'record';
  readonly record: JsonObject;
}

/** A row that means nothing, and why. */
export interface FaultyItem extends Item {
  readonly kind: 'fault';
  readonly faults: readonly SheetFault[];
}

export type SheetItem = UserItem | RecordItem | FaultyItem;

/** What a row means, without its place in the file. */
export type Meaning =
  | { readonly kind: 'user'; readonly principal: SheetUser['principal']; readonly user: SheetUser['user'] }
  | { readonly kind: 'record'; readonly record: JsonObject }
  | { readonly kind: 'fault'; readonly faults: readonly SheetFault[] };

/** How the content of a row is understood. */
export interface RowReader<Content extends SheetSource> {
  /** The row as it was before it came into a file of failed rows, if it ever did. */
  original(content: Content): Content;
  meaning(original: Content): Meaning;
}

export function meant(said: SheetUser | SheetFault[]): Meaning {
  return Array.isArray(said) ? { kind: 'fault', faults: said } : { kind: 'user', ...said };
}
