import type { SignedInUser } from '../access/access.ts';
import { Refusal } from '../faults.ts';
import { type Fields, idMax, isAbsent } from '../fields/fields.ts';
import { readParameters, wrongParameter } from '../fields/parameters.ts';
import { mapUsername } from '../fields/precis/username.ts';
import { numberTerms, searchTerms } from '../fields/search.ts';
import { usernameMax } from '../fields/username.ts';
import { externalKeyMax, type PrincipalDetails } from '../records/principal.ts';
import type { State } from '../records/state.ts';

export interface PageOf<Items> {
  readonly totalCount: number;
  /** How many there are on this page. */
  readonly count: number;
  readonly items: Items;
}

/** Which principals, or which users, and which page of them. */
export interface Listing {
  readonly page: number;
  readonly pageSize: number;
  /** What changed at this moment or later. */
  readonly since: Date | null;
  readonly principalId: number | null;
  readonly externalKey: string | null;
  readonly search: Search | null;
  /** The mapped forms of usernames: those who have one of them. */
  readonly usernameKeys: readonly string[] | null;
  /** Of a signed-in user: its principal and itself, and nobody else. */
  readonly own: SignedInUser | null;
  /** So many users of a principal stand in it; the rest is read through the list of users. */
  readonly usersShown: number;
}

export interface Search {
  /** Every one of them begins a word of what is found. */
  readonly terms: readonly string[];
  /** Or a number of tax or VAT begins with one of these. */
  readonly numbers: readonly string[];
  /** Or the username begins with this. */
  readonly usernamePrefix: string;
}

export interface ListedUser {
  readonly id: number;
  readonly principalId: number;
  readonly username: string;
  readonly email: string | null;
  readonly state: State;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly passwordChangedAt: Date;
  readonly lastLoginAt: Date | null;
}

export interface ListedPrincipal extends PrincipalDetails {
  readonly id: number;
  readonly state: State;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly usersCount: number;
  readonly users: readonly ListedUser[];
}

export interface ListingStore {
  /** The principals come one by one, so that a page with many users does not stand in memory as a whole. */
  listPrincipals(listing: Listing): Promise<PageOf<AsyncIterable<ListedPrincipal>>>;
  listUsers(listing: Listing): Promise<PageOf<readonly ListedUser[]>>;
}

const pageSizeDefault = 100;
const pageSizeMax = 1000;
const usersShownMax = 1000;
const searchMax = 200;
/** Of the longest usernames so many fit into the body of a call that reads. */
const textsMax = 100;

/** ISO 8601: a day, or a moment; without a zone it is UTC. */
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
    externalKey: readText(fields, 'ExternalKey', externalKeyMax),
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

/** What a signed-in user may ask for: a search would tell of its colleagues. */
export function ownListing(listing: Listing, own: SignedInUser | null): Listing {
  if (own && listing.search !== null) throw new Refusal('FORBIDDEN', { variant: 'plainly' });
  return { ...listing, own };
}

/** A text that can be no username is no one's username: the page is empty. */
function usernameKey(username: string): string {
  const result = mapUsername(username);
  return 'mapped' in result ? result.mapped : '';
}

/** The beginning of a mapped username, as far as the text can be one. */
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
  // A day that the month does not have would become one of the next month.
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || day.toISOString().slice(0, 10) !== value.slice(0, 10))
    throw wrongParameter(name, 'date');
  return date;
}

/** In characters, of the composed form: what can be stored can be asked for. */
function length(text: string): number {
  return text.length > 4096 ? text.length : [...text.normalize('NFC')].length;
}
