import type { Static } from 'typebox';
import type { SignedInUser } from '../../clients/access.ts';
import { type CallerTags, selectedTags } from '../../db/visibility.ts';
import type { Validated } from '../../http/validation.ts';
import { readDate } from '../../lib/dates.ts';
import { ApiError, wrongParameter } from '../../lib/field-errors.ts';
import { sortedTags, type Tags } from '../../lib/tags.ts';
import { mapUsername } from '../../usernames/precis-profiles.ts';
import { numberTerms, searchTerms } from '../../usernames/username.ts';
import type { PrincipalFields, ShownState, State, UserFields } from '../fields/fields.ts';
import { type PrincipalFilter, type UserFilter, type UserSort, usersShownMax } from './listing.schemas.ts';

export interface PageOf<Items> {
  /** The number of all matches. A list of users by a broad filter has a lower bound; see `listing-page.store.ts`. */
  readonly totalCount: number;
  readonly count: number;
  readonly items: Items;
}

/** Filters and page of a list of principals or users. A filter that is null is not applied. */
export interface Listing {
  /** Page number, from 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly since: Date | null;
  readonly principalId: number | null;
  readonly externalKey: string | null;
  /** Selects the principals that have one of the tags, or their users. */
  readonly tags: Tags | null;
  readonly callerTags: CallerTags;
  readonly search: Search | null;
  /** Mapped usernames. Selects the users that have one of them. */
  readonly usernameKeys: readonly string[] | null;
  /** An email address in lower case. */
  readonly email: string | null;
  /** Each term must be the prefix of a word of the first or last name. */
  readonly nameTerms: readonly string[] | null;
  readonly state: ShownState | null;
  /** True selects the users that have never signed in. */
  readonly neverSignedIn: boolean;
  /** Selects the users with greater IDs. */
  readonly afterId: number | null;
  readonly userId: number | null;
  readonly sort: UserSort;
  readonly own: SignedInUser | null;
  /** Maximum number of users listed inside a principal. The list of users returns the others. */
  readonly usersShown: number;
}

/**
 * A principal matches by `terms`, `numbers` or the `usernamePrefix` of one of its users; a user by `terms`,
 * `usernamePrefix`, `emailPrefix` or `phoneEnd`.
 */
export interface Search {
  /** Each term must be the prefix of a word of the principal, or of the names of the user. */
  readonly terms: readonly string[];
  /** One of these must be the prefix of a tax code or VAT number. */
  readonly numbers: readonly string[];
  /** The mapped username must begin with this. */
  readonly usernamePrefix: string;
  /** The email address in lower case must begin with this. */
  readonly emailPrefix: string;
  /** The last digits of the phone number in reverse; null for a text that is no phone number. */
  readonly phoneEnd: string | null;
}

export interface ListedUser extends UserFields {
  readonly id: number;
  readonly principalId: number;
  readonly username: string;
  readonly state: ShownState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null if the user has no password. */
  readonly passwordChangedAt: Date | null;
  readonly lastLoginAt: Date | null;
}

/** A user in a list of users, with fields of its principal. */
export interface FoundUser extends ListedUser, Pick<PrincipalFields, 'ExternalKey' | 'Denomination'> {
  readonly mustChange: boolean;
}

export interface ListedPrincipal extends PrincipalFields {
  readonly id: number;
  readonly state: State;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly usersCount: number;
  readonly aliases: readonly string[];
  readonly users: Iterable<ListedUser> | AsyncIterable<ListedUser>;
}

/** The validated filter of a request, with the names of the API. */
export type ListFilter = Validated<Static<typeof UserFilter>> &
  Pick<Validated<Static<typeof PrincipalFilter>>, 'UsersShown'>;

export function listingOf(filter: ListFilter, callerTags: CallerTags): Listing {
  const { Username: username, Usernames: usernames, Search: search } = filter;
  if (username !== undefined && usernames !== undefined)
    throw wrongParameter('Usernames', 'exclusive', { other: 'Username' });
  const keys = username === undefined ? usernames : [username];
  return {
    page: filter.Page,
    pageSize: filter.PageSize,
    since: filter.Date === undefined ? null : readDate(filter.Date),
    principalId: filter.ID ?? null,
    externalKey: filter.ExternalKey ?? null,
    tags: selectedTags(filter.Tags ? sortedTags(filter.Tags) : null, callerTags),
    callerTags,
    search: search === undefined ? null : searchOf(search),
    // No user has the empty key, so that an invalid username finds none.
    usernameKeys: keys?.map((key) => mappedOr(key, '')) ?? null,
    email: filter.Email?.toLowerCase() ?? null,
    nameTerms: filter.Name === undefined ? null : searchTerms([filter.Name]),
    state: filter.State ?? null,
    neverSignedIn: filter.NeverSignedIn ?? false,
    afterId: filter.AfterID ?? null,
    userId: filter.UserID ?? null,
    sort: filter.Sort ?? 'ID',
    own: null,
    usersShown: filter.UsersShown ?? usersShownMax,
  };
}

function searchOf(text: string): Search {
  const prefix = text.trim();
  return {
    terms: searchTerms([text]),
    numbers: numberTerms(text),
    usernamePrefix: mappedOr(prefix, prefix.toLowerCase()),
    emailPrefix: prefix.toLowerCase(),
    phoneEnd: phoneEndOf(prefix),
  };
}

const phoneSyntax = /^\+?[\d\s()./-]+$/;
const phoneDigitsMin = 4;
/** More digits are not compared: they may belong to the prefix of a country, which is often left out. */
const phoneDigitsMax = 8;
/** The most digits of the prefix of a country, after `+` or `00`. */
const countryDigitsMax = 3;

/** Returns the last digits of a phone number in reverse, as the index of phone numbers has them. */
function phoneEndOf(text: string): string | null {
  if (!phoneSyntax.test(text)) return null;
  const digits = text.replace(/\D/g, '');
  const prefix = /^(?:\+|00)/.exec(text)?.[0];
  const national = digits.length - (prefix === undefined ? 0 : countryDigitsMax + (prefix === '00' ? 2 : 0));
  if (national < phoneDigitsMin) return null;
  return [...digits.slice(-Math.min(national, phoneDigitsMax))].reverse().join('');
}

/** Restricts a listing to a signed-in user. A search is forbidden, because it would reveal other users. */
export function ownListing(listing: Listing, own: SignedInUser | null): Listing {
  if (own && listing.search !== null) throw new ApiError('FORBIDDEN', { variant: 'plainly' });
  return { ...listing, own };
}

/** Returns the mapped username, or `otherwise` for a text that is no valid username. */
function mappedOr(text: string, otherwise: string): string {
  const result = mapUsername(text);
  return 'mapped' in result ? result.mapped : otherwise;
}
