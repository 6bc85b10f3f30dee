import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  type ListedPrincipal,
  type ListedUser,
  type ListingStore,
  readPrincipalListing,
  readUserListing,
} from '../../core/listing/listing.ts';
import { debugOf } from '../call.ts';
import { type Envelope, pageEnvelope } from '../envelope.ts';
import { principalAnswers, userAnswers } from '../schemas/answers.ts';
import { CallHeaders, CallQuery, PrincipalListing, UserListing } from '../schemas/requests.ts';

/** `irs/list` and `irs/users`: pages of what is stored, without anything secret. */
export function readRoutes(app: FastifyInstance, store: ListingStore): void {
  const config = { scope: 'sync:read', emptyBody: true } as const;

  app.post(
    '/irs/list',
    {
      config,
      schema: {
        operationId: 'list',
        summary: 'Read principals with their users',
        description:
          'In the order of their IDs. `Date` finds what changed since, users included; `Search` matches the beginnings of words and of usernames. `Users` holds the first 1,000.',
        tags: ['irs'],
        querystring: CallQuery,
        headers: CallHeaders,
        body: PrincipalListing,
        response: principalAnswers,
      },
    },
    async (request, reply) => {
      const listing = readPrincipalListing(request.body);
      const page = await store.listPrincipals(listing);
      const items = page.items[Symbol.asyncIterator]();
      // Asked for before the answer begins: a database that fails now is still answered as one.
      const first = await items.next();
      const envelope = () => pageEnvelope({ ...listing, ...page }, [], debugOf(request));
      const pieces = pageText(first, items, envelope);
      return reply.type('application/json; charset=utf-8').send(Readable.from(pieces, { objectMode: false }));
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
      const records = page.items.map((user) => ({ ...userFields(user), IRID: user.principalId }));
      return reply.send(pageEnvelope({ ...listing, ...page }, records, debugOf(request)));
    },
  );
}

/** The envelope as text, piece by piece: a thousand principals with a thousand users each never stand in memory. */
async function* pageText(
  first: IteratorResult<ListedPrincipal>,
  rest: AsyncIterator<ListedPrincipal>,
  envelope: () => Envelope<never>,
): AsyncGenerator<string> {
  const records = '"records":[';
  yield JSON.stringify(envelope()).split(records, 1)[0] + records;
  for (let item = first, separator = ''; !item.done; item = await rest.next(), separator = ',') {
    yield separator + principalText(item.value);
  }
  yield JSON.stringify(envelope()).split(records)[1] ?? '';
}

function principalText(principal: ListedPrincipal): string {
  return JSON.stringify({
    ID: principal.id,
    ExternalKey: principal.externalKey,
    Denomination: principal.denomination,
    Surname: principal.surname,
    Name: principal.name,
    Vatnumber: principal.vatnumber,
    Taxcode: principal.taxcode,
    Email: principal.email,
    State: principal.state,
    CreatedAt: principal.createdAt,
    UpdatedAt: principal.updatedAt,
    UsersCount: principal.usersCount,
    Users: principal.users.map(userFields),
  });
}

function userFields(user: ListedUser) {
  return {
    ID: user.id,
    Username: user.username,
    Email: user.email,
    State: user.state,
    CreatedAt: user.createdAt,
    UpdatedAt: user.updatedAt,
    PasswordChangedAt: user.passwordChangedAt,
    LastLoginAt: user.lastLoginAt,
  };
}
