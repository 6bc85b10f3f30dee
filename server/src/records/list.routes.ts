import type { FastifyInstance } from 'fastify';
import type { AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { pageEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { principalAnswers, userAnswers } from '../http/schemas/answers.ts';
import { CallHeaders, CallQuery, PrincipalListing, UserListing } from '../http/schemas/requests.ts';
import { sendEnvelope } from '../http/streaming.ts';
import { principalFields, userFields, valuesOf } from './fields.ts';
import {
  type ListedPrincipal,
  type ListedUser,
  type Listing,
  type ListingStore,
  ownListing,
  readPrincipalListing,
  readUserListing,
} from './listing.ts';

interface ReadTools {
  readonly listing: ListingStore;
  readonly auditLog: AuditLog;
}

/** `irs/list` and `irs/users`: pages of principals and users, without secrets. */
export function readRoutes(app: FastifyInstance, { listing: store, auditLog }: ReadTools): void {
  const config = { scope: 'sync:read', emptyBody: true, maxValues: 200 } as const;

  app.post(
    '/irs/list',
    {
      config: { ...config, self: true },
      schema: {
        operationId: 'list',
        summary: 'Read principals with their users',
        description:
          'In the order of their IDs. `Date` finds what changed since, users included; `Search` matches the beginnings of words and of usernames. `Users` holds the first 1,000. A signed-in user sees its own principal and itself alone.',
        tags: ['irs'],
        querystring: CallQuery,
        headers: CallHeaders,
        body: PrincipalListing,
        response: principalAnswers,
      },
    },
    async (request, reply) => {
      const listing = ownListing(readPrincipalListing(request.body), request.caller.user);
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
        summary: 'Read users',
        description:
          'In the order of their IDs. `ID` and `ExternalKey` are those of the principal; `Username` finds one.',
        tags: ['irs'],
        querystring: CallQuery,
        headers: CallHeaders,
        body: UserListing,
        response: userAnswers,
      },
    },
    async (request, reply) => {
      const listing = readUserListing(request.body);
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
