import { principalFields, userFields, valuesOf } from '../fields/fields.ts';
import type { FoundUser, ListedPrincipal, ListedUser } from './listing.ts';

// Principals and users as the API returns them, in lists and exports.

/** Yields the JSON of a principal with its users in pieces: a thousand users may have 20 MB of attributes. */
export async function* principalTexts<User extends ListedUser>(
  {
    users,
    ...principal
  }: Omit<ListedPrincipal, 'users'> & { readonly users: Iterable<User> | AsyncIterable<User> },
  answerOf: (user: User) => unknown = userAnswer,
): AsyncGenerator<string> {
  yield principalStart(principal);
  let separator = '';
  for await (const user of users) {
    yield separator + JSON.stringify(answerOf(user));
    separator = ',';
  }
  yield ']}';
}

/** Returns the JSON of a principal up to its first user. */
function principalStart(principal: Omit<ListedPrincipal, 'users'>): string {
  const answer = {
    ID: principal.id,
    ...valuesOf(principalFields, principal),
    State: principal.state,
    CreatedAt: principal.createdAt,
    UpdatedAt: principal.updatedAt,
    UsersCount: principal.usersCount,
    ...(principal.aliases.length > 0 && { Aliases: principal.aliases }),
  };
  return `${JSON.stringify(answer).slice(0, -1)},"Users":[`;
}

export function userAnswer(user: ListedUser) {
  return {
    ID: user.id,
    Username: user.username,
    ...valuesOf(userFields, user),
    State: user.state,
    CreatedAt: user.createdAt,
    UpdatedAt: user.updatedAt,
    PasswordChangedAt: user.passwordChangedAt,
    LastLoginAt: user.lastLoginAt,
  };
}

export function foundUserAnswer(user: FoundUser) {
  const { principalId: IRID, ExternalKey, Denomination, mustChange: MustChangePassword } = user;
  return { ...userAnswer(user), MustChangePassword, IRID, ExternalKey, Denomination };
}
