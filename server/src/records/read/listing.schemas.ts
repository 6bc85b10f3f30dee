import { Type } from 'typebox';
import { answer, count, errorAnswers, Moment, page } from '../../http/answer-schemas.ts';
import {
  dateText,
  defaulted,
  Id,
  lengthOfNfc,
  named,
  nullable,
  oneOf,
  optional,
  refined,
  State,
  strictObject,
} from '../../http/schemas.ts';
import { tagPattern, tagsMax } from '../../lib/tags.ts';
import { usernameMax } from '../../usernames/username.ts';
import { answerSchemas } from '../fields/fields.schemas.ts';
import { principalFields, shownStates, userFields } from '../fields/fields.ts';

/** The orders of a list of users. Each has an index; `-` is descending. */
export const userSorts = ['ID', '-ID', 'Username', '-Username', 'UpdatedAt', '-UpdatedAt'] as const;
export type UserSort = (typeof userSorts)[number];

export const usersShownMax = 1000;

/** Returns false for a text that no stored value contains. */
function isFilterText(text: string): boolean {
  return text.trim() !== '' && !text.includes('\0');
}

/** A text to compare with stored values. Its NFC form is measured, so that every stored value can be found. */
export function filterText(maxLength: number, description?: string) {
  const text = { minLength: 1, maxLength, ...(description && { description }), [lengthOfNfc]: true };
  return refined(Type.String(text), isFilterText, 'text');
}

const UserState = named(
  'ShownUserState',
  oneOf(shownStates, {
    description: '`invited`: the user is enabled, and cannot sign in until it has set its password.',
  }),
);

const listing = {
  Search: optional(
    filterText(
      200,
      'Finds principals by the beginning of words, usernames, VAT numbers and tax codes. In `irs/users`, finds users by the beginning of the username, of the email address, or of words of the first and last name, and by the last digits of the phone number, at least four. Case and accents are ignored.',
    ),
  ),
  Page: defaulted(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 1,
        description: 'Page number, from 1.',
      }),
    ),
  ),
  PageSize: defaulted(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 100,
        description: 'Maximum number of elements per page.',
      }),
    ),
  ),
  Date: optional(dateText('Changed at this time or later: `2026-01-31` or `2026-01-31T08:00:00Z`.')),
  ID: optional(Type.Integer({ ...Id, description: 'The ID of the principal.' })),
  ExternalKey: optional(
    filterText(principalFields.ExternalKey.maxLength, 'The external key of the principal.'),
  ),
  Tags: optional(
    Type.Array(Type.String({ maxLength: principalFields.Tags.maxLength, pattern: tagPattern }), {
      minItems: 1,
      maxItems: tagsMax,
      description: 'Only principals that have one of the tags, or their users. Case is ignored.',
    }),
  ),
};

export const PrincipalFilter = named(
  'PrincipalFilter',
  strictObject(
    {
      ...listing,
      UsersShown: optional(
        Type.Integer({
          minimum: 0,
          maximum: usersShownMax,
          default: usersShownMax,
          description: 'Maximum number of users listed in each principal.',
        }),
      ),
    },
    { examples: [{ Page: 1, PageSize: 100 }] },
  ),
);

/** At most 100 usernames of maximum length fit into the body of a read request. */
const Usernames = Type.Array(filterText(usernameMax), {
  minItems: 1,
  maxItems: 100,
  description: 'The usernames of several users. Cannot be combined with `Username`.',
});
/** `listingOf` refuses what this describes. Null counts as absent. */
const bothUsernameFilters = {
  required: ['Username', 'Usernames'],
  properties: { Username: { type: 'string' }, Usernames: { type: 'array', items: { type: 'string' } } },
};
export const UserFilter = named(
  'UserFilter',
  strictObject(
    {
      Username: optional(filterText(usernameMax, 'The username of one user.')),
      Usernames: optional(Usernames),
      Email: optional(filterText(userFields.Email.maxLength, 'An email address. Case is ignored.')),
      Name: optional(
        filterText(
          200,
          'Finds by the beginning of words of `FirstName` and `LastName`. Case and accents are ignored.',
        ),
      ),
      State: optional(UserState),
      NeverSignedIn: optional(
        Type.Boolean({ description: 'True: only users that have never signed in. False: all users.' }),
      ),
      AfterID: optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description:
            'Only users with a greater ID. Reading on after the last ID is faster than a high page number.',
        }),
      ),
      UserID: optional(Type.Integer({ ...Id, description: 'The ID of one user.' })),
      Sort: optional(
        oneOf(userSorts, {
          description:
            'The order of the users; `-` is descending. Default: `ID`. In another order, a user that changes while the pages are read may be missed.',
        }),
      ),
      ...listing,
    },
    { not: bothUsernameFilters, examples: [{ Username: 'mario.rossi' }] },
  ),
);

export const user = {
  ID: Id,
  Username: Type.String(),
  ...answerSchemas(userFields),
  State: UserState,
  CreatedAt: Moment,
  UpdatedAt: Moment,
  PasswordChangedAt: nullable(
    Type.String({ format: 'date-time', description: 'Null if the user has no password yet.' }),
  ),
  LastLoginAt: nullable(Moment),
};
const User = named(
  'User',
  strictObject(user, { description: 'A user: an account that belongs to a principal.' }),
);
const UserOfPrincipal = named(
  'UserOfPrincipal',
  strictObject(
    {
      ...user,
      MustChangePassword: Type.Boolean({
        description: 'True if after the next sign-in the user can only change its password.',
      }),
      IRID: Type.Integer({ ...Id, description: 'The ID of the principal.' }),
      ExternalKey: nullable(Type.String({ description: 'The external key of the principal.' })),
      Denomination: nullable(Type.String({ description: 'The company name of the principal.' })),
    },
    { description: 'A user with the ID and names of its principal.' },
  ),
);
export const principal = {
  ID: Id,
  ...answerSchemas(principalFields),
  State,
  CreatedAt: Moment,
  UpdatedAt: Moment,
  UsersCount: count('Number of all users of the principal.'),
  Aliases: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The external keys of principals that were merged into this one, which name it, too. Absent without any.',
    }),
  ),
};
const Principal = named(
  'Principal',
  strictObject(
    {
      ...principal,
      Users: Type.Array(User, {
        maxItems: usersShownMax,
        description: 'The first users, up to `UsersShown`. `irs/users` lists all.',
      }),
    },
    { description: 'A principal: the record of a company or customer, with its users.' },
  ),
);

export const principalAnswers = {
  200: answer('A page of principals.', page('PrincipalsEnvelope', Principal)),
  ...errorAnswers,
};
export const userAnswers = {
  200: answer('A page of users.', page('UsersEnvelope', UserOfPrincipal)),
  ...errorAnswers,
};
