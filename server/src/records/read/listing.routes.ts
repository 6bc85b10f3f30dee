import type { AuditEntry, AuditLog } from '../../audit/audit-log.ts';
import { actorOf } from '../../clients/authentication.plugin.ts';
import { pageEnvelope } from '../../http/envelope.ts';
import { CallHeaders, CallQuery } from '../../http/schemas.ts';
import { sendEnvelope } from '../../http/streaming.ts';
import type { Api } from '../../http/validation.ts';
import { PrincipalFilter, principalAnswers, UserFilter, userAnswers } from './listing.schemas.ts';
import type { ListingStore } from './listing.store.ts';
import { type FoundUser, type ListedPrincipal, type Listing, listingOf, ownListing } from './listing.ts';
import { foundUserAnswer, principalTexts } from './listing-answers.ts';

interface ReadTools {
  readonly listing: ListingStore;
  readonly auditLog: AuditLog;
}

/** `irs/list` and `irs/users`: pages of principals and users, without secrets. */
export function readRoutes(app: Api, { listing: store, auditLog }: ReadTools): void {
  const config = { permission: 'records.read', limited: true, emptyBody: true, maxValues: 200 } as const;

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
      const listing = ownListing(listingOf(request.body, request.caller.tags), request.caller.user);
      const page = await store.listPrincipals(listing);
      const principalId = await store.findPrincipalId(listing);
      await auditLog.note(actorOf(request), noteOf('list', { ...listing, principalId }, page.count));
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
          'Returns users in the order of their IDs. Filters are combined with AND; `Username` and `Usernames` cannot be combined. `totalCount` is exact up to 10,000. Above that it may be a lower bound, unless the filter names a principal, usernames or an email address: read on while `page` is less than `totalPages`.',
        tags: ['irs'],
        querystring: CallQuery,
        headers: CallHeaders,
        body: UserFilter,
        response: userAnswers,
      },
    },
    async (request, reply) => {
      const listing = listingOf(request.body, request.caller.tags);
      const page = await store.listUsers(listing);
      const principalId = await store.findPrincipalId(listing);
      await auditLog.note(actorOf(request), noteOf('users', { ...listing, principalId }, page.count));
      const envelope = pageEnvelope<never>({ ...listing, ...page }, [], null);
      return sendEnvelope(reply, envelope, userItems(page.items));
    },
  );
}

/** Builds the audit log entry of a read. It omits the texts, which may contain anything, even a password. */
function noteOf(
  call: 'list' | 'users',
  { principalId, page, pageSize, search, email, nameTerms }: Listing,
  count: number,
): AuditEntry {
  const searched = [search, email, nameTerms].some((text) => text !== null);
  const details = { call, page, pageSize, searched, count };
  return { action: 'records.read', principalId, details };
}

async function* principalItems(principals: AsyncIterable<ListedPrincipal>) {
  for await (const principal of principals) yield principalTexts(principal);
}

async function* userItems(groups: AsyncIterable<readonly FoundUser[]>) {
  for await (const users of groups) for (const user of users) yield [JSON.stringify(foundUserAnswer(user))];
}
