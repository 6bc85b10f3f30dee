import type { SignedInUser } from '../clients/access.ts';
import { ApiError } from '../lib/field-errors.ts';
import { type Fields, idMax, isAbsent, readParameters, wrongParameter } from '../lib/request-fields.ts';
import { mapUsername } from '../usernames/precis-profiles.ts';
import { numberTerms, searchTerms, usernameMax } from '../usernames/username.ts';
import { type PrincipalFields, principalFields, type UserFields } from './fields.ts';
import type { State } from './principal.ts';

export interface PageOf<Items> {
  readonly totalCount: number;
  /** Number of items on this page. */
  readonly count: number;
  readonly items: Items;
}

/** Filters and page of a list of principals or users. A filter that is null is not applied. */
export interface Listing {
  /** Page number, from 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Selects rows that changed at this time or later. */
  readonly since: Date | null;
  readonly principalId: number | null;
  readonly externalKey: string | null;
  readonly search: Search | null;
  /** Mapped usernames. Selects the users that have one of them. */
  readonly usernameKeys: readonly string[] | null;
  /** Restricts the list to a signed-in user and its principal. */
  readonly own: SignedInUser | null;
  /** Maximum number of users listed inside a principal. The list of users returns the others. */
  readonly usersShown: number;
}

/** A principal matches if one of the three conditions does. A search of users applies `usernamePrefix` alone. */
export interface Search {
  /** Each term must be the prefix of a word of the principal. */
  readonly terms: readonly string[];
  /** One of these must be the prefix of a tax code or VAT number. */
  readonly numbers: readonly string[];
  /** The mapped username must begin with this. */
  readonly usernamePrefix: string;
}

export interface ListedUser extends UserFields {
  readonly id: number;
  readonly principalId: number;
  readonly username: string;
  readonly state: State;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly passwordChangedAt: Date;
  readonly lastLoginAt: Date | null;
}

export interface ListedPrincipal extends PrincipalFields {
  readonly id: number;
  readonly state: State;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly usersCount: number;
  readonly users: readonly ListedUser[];
}

export interface ListingStore {
  /** Yields the principals one by one, so that a page with many users is not held in memory as a whole. */
  listPrincipals(listing: Listing): Promise<PageOf<AsyncIterable<ListedPrincipal>>>;
  listUsers(listing: Listing): Promise<PageOf<readonly ListedUser[]>>;
}

const pageSizeDefault = 100;
const pageSizeMax = 1000;
const usersShownMax = 1000;
const searchMax = 200;
/** Maximum number of usernames in a filter. This many of maximum length fit into the body of a read request. */
const textsMax = 100;

/** ISO 8601 date, or date and time. A time without a zone is UTC. */
const dateSyntax = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

const principalParameters = ['Page', 'PageSize', 'Date', 'ID', 'ExternalKey', 'Search'];

export function readPrincipalListing(body: unknown): Listing {
  return readListing(body, [...principalParameters, 'UsersShown']);
}

export function readUserListing(body: unknown): Listing {
  return readListing(body, [...principalParameters, 'Username', 'Usernames']);
}

function readListing(body: unknown, known: readonly string[]): Listing {
  const fields = readParameters(isAbsent(body) ? {} : body, known);
  const username = readText(fields, 'Username', usernameMax);
  const usernames = username === null ? readTexts(fields, 'Usernames', usernameMax) : [username];
  const search = readText(fields, 'Search', searchMax);
  return {
    page: readNumber(fields, 'Page', idMax) ?? 1,
    pageSize: readNumber(fields, 'PageSize', pageSizeMax) ?? pageSizeDefault,
    since: readDate(fields, 'Date'),
    principalId: readNumber(fields, 'ID', idMax),
    externalKey: readText(fields, 'ExternalKey', principalFields.ExternalKey.maxLength),
    search:
      search === null
        ? null
        : {
            terms: searchTerms([search]),
            numbers: numberTerms(search),
            usernamePrefix: prefixOf(search.trim()),
          },
    usernameKeys: usernames?.map(usernameKey) ?? null,
    own: null,
    usersShown: readNumber(fields, 'UsersShown', usersShownMax, 0) ?? usersShownMax,
  };
}

/** Restricts a listing to a signed-in user. A search is forbidden, because it would reveal other users. */
export function ownListing(listing: Listing, own: SignedInUser | null): Listing {
  if (own && listing.search !== null) throw new ApiError('FORBIDDEN', { variant: 'plainly' });
  return { ...listing, own };
}

/** Returns the mapped username; '' for an invalid username, which no user has, so that the page is empty. */
function usernameKey(username: string): string {
  const result = mapUsername(username);
  return 'mapped' in result ? result.mapped : '';
}

/** Returns the mapped prefix of a username. Text that is no valid username is only converted to lower case. */
function prefixOf(text: string): string {
  const result = mapUsername(text);
  return 'mapped' in result ? result.mapped : text.toLowerCase();
}

function readNumber(fields: Fields, name: string, max: number, min = 1): number | null {
  const value: unknown = fields[name];
  if (isAbsent(value)) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw wrongParameter(name, 'number', { min, max });
}

function readText(fields: Fields, name: string, max: number): string | null {
  const value = fields[name];
  if (isAbsent(value)) return null;
  if (!isText(value, max)) throw wrongParameter(name, 'text', { max });
  return value;
}

function readTexts(fields: Fields, name: string, max: number): string[] | null {
  const values: unknown = fields[name];
  if (isAbsent(values)) return null;
  const some = Array.isArray(values) && values.length > 0 && values.length <= textsMax;
  if (!some || !values.every((value) => isText(value, max)))
    throw wrongParameter(name, 'texts', { count: textsMax, max });
  return values;
}

function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && length(value) <= max && !value.includes('\0');
}

function readDate(fields: Fields, name: string): Date | null {
  const value = fields[name];
  if (isAbsent(value)) return null;
  if (typeof value !== 'string' || !dateSyntax.test(value)) throw wrongParameter(name, 'date');
  const zoned = /T/.test(value) && !/(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? `${value}Z` : value;
  const date = new Date(zoned);
  // `Date` turns a day that does not exist, such as 31 April, into a day of the next month.
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || day.toISOString().slice(0, 10) !== value.slice(0, 10))
    throw wrongParameter(name, 'date');
  return date;
}

/**
 * Counts the code points of the NFC form, so that every value that can be stored can be used in a filter. Text over
 * 4096 UTF-16 code units is not normalised, because it exceeds every limit anyway.
 */
function length(text: string): number {
  return text.length > 4096 ? text.length : [...text.normalize('NFC')].length;
}
