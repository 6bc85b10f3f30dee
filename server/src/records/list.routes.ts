import { Type } from 'typebox';
import type { AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { answer, count, errorAnswers, Moment, page } from '../http/answer-schemas.ts';
import { pageEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  defaulted,
  Id,
  lengthOfNfc,
  named,
  nullable,
  optional,
  State,
  strictObject,
} from '../http/schemas.ts';
import { sendEnvelope } from '../http/streaming.ts';
import type { Api } from '../http/validation.ts';
import { usernameMax } from '../usernames/username.ts';
import { answerSchemas } from './fields.schemas.ts';
import { principalFields, userFields, valuesOf } from './fields.ts';
import {
  isFilterText,
  type ListedPrincipal,
  type ListedUser,
  type Listing,
  type ListingStore,
  listingOf,
  ownListing,
  readDate,
  usersShownMax,
} from './listing.ts';

interface ReadTools {
  readonly listing: ListingStore;
  readonly auditLog: AuditLog;
}

/** `irs/list` and `irs/users`: pages of principals and users, without secrets. */
export function readRoutes(app: Api, { listing: store, auditLog }: ReadTools): void {
  const config = { scope: 'sync:read', emptyBody: true, maxValues: 200 } as const;

  app.post(
    '/irs/list',
    {
      config: { ...config, self: true },
      schema: {
        operationId: 'list',
        summary: 'List principals with their users',
        description:
          'Returns principals in the order of their IDs, each with its first users (up to 1,000). Filters are combined with AND. A signed-in user gets its own principal with itself as the only user, and cannot use `Search`.',
        tags: ['irs'],
        querystring: CallQuery,
        headers: CallHeaders,
        body: PrincipalFilter,
        response: principalAnswers,
      },
    },
    async (request, reply) => {
      const listing = ownListing(listingOf(request.body), request.caller.user);
      const page = await store.listPrincipals(listing);
      await auditLog.note(actorOf(request), noteOf('list', listing, page.count));
      const envelope = pageEnvelope<never>({ ...listing, ...page }, [], null);
      return sendEnvelope(reply, envelope, principalItems(page.items));
    },
  );

  app.post(
    '/irs/users',
    {
      config,
      schema: {
        operationId: 'users',
        summary: 'List users',
        description:
          'Returns users in the order of their IDs. Filters are combined with AND; `Username` and `Usernames` cannot be combined.',
        tags: ['irs'],
        querystring: CallQuery,
        headers: CallHeaders,
        body: UserFilter,
        response: userAnswers,
      },
    },
    async (request, reply) => {
      const listing = listingOf(request.body);
      const page = await store.listUsers(listing);
      await auditLog.note(actorOf(request), noteOf('users', listing, page.count));
      const records = page.items.map((user) => ({ ...userAnswer(user), IRID: user.principalId }));
      return reply.send(pageEnvelope({ ...listing, ...page }, records, debugOf(request)));
    },
  );
}

/** Builds the audit log entry of a read. It omits the search text, which may contain anything, even a password. */
function noteOf(
  call: 'list' | 'users',
  { principalId, page, pageSize, search }: Listing,
  count: number,
): AuditEntry {
  const details = { call, page, pageSize, searched: search !== null, count };
  return { action: 'records.read', principalId, details };
}

async function* principalItems(principals: AsyncIterable<ListedPrincipal>) {
  for await (const principal of principals) yield [JSON.stringify(principalAnswer(principal))];
}

function principalAnswer(principal: ListedPrincipal) {
  return {
    ID: principal.id,
    ...valuesOf(principalFields, principal),
    State: principal.state,
    CreatedAt: principal.createdAt,
    UpdatedAt: principal.updatedAt,
    UsersCount: principal.usersCount,
    Users: principal.users.map(userAnswer),
  };
}

function userAnswer(user: ListedUser) {
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

/** A text to compare with stored values. Its NFC form is measured, so that every stored value can be found. */
function filterText(maxLength: number, description?: string) {
  const text = { minLength: 1, maxLength, ...(description && { description }), [lengthOfNfc]: true };
  return Type.Refine(Type.String(text), isFilterText, () => 'text');
}

const listing = {
  Search: optional(
    filterText(
      200,
      'Finds by the beginning of words, usernames, VAT numbers and tax codes; in `irs/users` by the beginning of the username only. Case and accents are ignored.',
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
  Date: optional(
    Type.Refine(
      Type.String({
        description:
          'Changed at this time or later: `2026-01-31` or `2026-01-31T08:00:00Z`. Without a zone it is UTC.',
      }),
      (text) => readDate(text) !== null,
      () => 'date',
    ),
  ),
  ID: optional(Type.Integer({ ...Id, description: 'The ID of the principal.' })),
  ExternalKey: optional(
    filterText(principalFields.ExternalKey.maxLength, 'The external key of the principal.'),
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
  properties: { Username: { type: 'string' }, Usernames: { type: 'array' } },
};
export const UserFilter = named(
  'UserFilter',
  strictObject(
    {
      Username: optional(filterText(usernameMax, 'The username of one user.')),
      Usernames: optional(Usernames),
      ...listing,
    },
    { not: bothUsernameFilters, examples: [{ Username: 'mario.rossi' }] },
  ),
);

const user = {
  ID: Id,
  Username: Type.String(),
  ...answerSchemas(userFields),
  State,
  CreatedAt: Moment,
  UpdatedAt: Moment,
  PasswordChangedAt: Moment,
  LastLoginAt: nullable(Moment),
};
const User = named(
  'User',
  strictObject(user, { description: 'A user: an account that belongs to a principal.' }),
);
const UserOfPrincipal = named(
  'UserOfPrincipal',
  strictObject(
    { ...user, IRID: Type.Integer({ ...Id, description: 'The ID of the principal.' }) },
    { description: 'A user with the ID of its principal.' },
  ),
);
const Principal = named(
  'Principal',
  strictObject(
    {
      ID: Id,
      ...answerSchemas(principalFields),
      State,
      CreatedAt: Moment,
      UpdatedAt: Moment,
      UsersCount: count('Number of all users of the principal.'),
      Users: Type.Array(User, {
        maxItems: usersShownMax,
        description: 'The first users, up to `UsersShown`. `irs/users` lists all.',
      }),
    },
    { description: 'A principal: the record of a company or customer, with its users.' },
  ),
);

const principalAnswers = {
  200: answer('A page of principals.', page('PrincipalsEnvelope', Principal)),
  ...errorAnswers,
};
const userAnswers = {
  200: answer('A page of users.', page('UsersEnvelope', UserOfPrincipal)),
  ...errorAnswers,
};
