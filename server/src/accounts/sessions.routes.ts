import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SignedInUser } from '../clients/access.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { answers, count, Empty, errorAnswer, page, recordPage } from '../http/answer-schemas.ts';
import { accessTokenOf } from '../http/credentials.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery, Id, named, PageQuery, pathOf, strictObject, Uuid } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { ApiError } from '../lib/field-errors.ts';
import { required } from '../lib/required.ts';
import { digestOf } from '../lib/secrets.ts';
import type { SessionOwner, UserSession, UserSessionStore } from './session.ts';

/** Registers the routes with which an administrator sees and ends the sessions of a user. No answer has a token. */
export function sessionRoutes(app: Api, store: UserSessionStore): void {
  const about = { tags: ['admin'], headers: CallHeaders };

  app.get(
    '/users/:id/sessions',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        operationId: 'userSessions',
        summary: 'List the sessions of a user',
        description: 'Returns the valid sessions of a user, the most recently used first.',
        ...about,
        querystring: PageQuery,
        params: UserPath,
        response: sessionsAnswers,
      },
    },
    async (request) => {
      const { sessions, totalCount } = existing(
        await store.list(ownerOf(request, request.params.id), request.query),
      );
      return pageEnvelope({ ...request.query, totalCount }, sessions.map(sessionFields), debugOf(request));
    },
  );

  app.delete(
    '/users/:id/sessions',
    {
      config: { permission: 'sessions.end', limited: true, emptyBody: true, maxValues: 10 },
      schema: {
        operationId: 'endUserSessions',
        summary: 'End all sessions of a user',
        description: 'The user must sign in again. To keep it from signing in, disable it with `irs/state`.',
        ...about,
        querystring: CallQuery,
        params: UserPath,
        response: endedAnswers,
      },
    },
    async (request) => {
      const ended = existing(await store.endAll(ownerOf(request, request.params.id), actorOf(request)));
      return recordEnvelope({ Ended: ended }, debugOf(request));
    },
  );

  app.delete(
    '/users/:id/sessions/:session',
    {
      config: { permission: 'sessions.end', limited: true, emptyBody: true, maxValues: 10 },
      schema: {
        operationId: 'endUserSession',
        summary: 'End a session of a user',
        description: 'Ends one session with all its tokens.',
        ...about,
        querystring: CallQuery,
        params: SessionPath,
        response: endedOneAnswers,
      },
    },
    async (request) => {
      const { id, session } = request.params;
      existing((await store.endOne(ownerOf(request, id), session, actorOf(request))) || null);
      return recordEnvelope(null, debugOf(request));
    },
  );
}

/** Registers the routes with which a signed-in user sees and ends its own sessions. */
export function ownSessionRoutes(app: Api, store: UserSessionStore): void {
  const about = { tags: ['login'], headers: CallHeaders };
  const config = { self: true, emptyBody: true, maxValues: 10 };

  app.get(
    '/sessions',
    {
      config: { self: true },
      schema: {
        operationId: 'sessions',
        summary: 'List your own sessions',
        description: 'Returns the valid sessions of the signed-in user, the most recently used first.',
        ...about,
        querystring: PageQuery,
        response: ownSessionsAnswers,
      },
    },
    async (request) => {
      const { id } = signedIn(request);
      const token = digestOf(accessTokenOf(request) ?? '');
      const { sessions, totalCount } = existing(await store.list(ownerOf(request, id), request.query, token));
      const records = sessions.map((session) => ({ ...sessionFields(session), Current: session.current }));
      return pageEnvelope({ ...request.query, totalCount }, records, debugOf(request));
    },
  );

  app.delete(
    '/sessions',
    {
      config,
      schema: {
        operationId: 'endSessions',
        summary: 'Sign out everywhere',
        description: 'Ends all sessions of the signed-in user, this one included.',
        ...about,
        querystring: CallQuery,
        response: endedAnswers,
      },
    },
    async (request) => {
      const ended = existing(await store.endAll(ownerOf(request, signedIn(request).id), actorOf(request)));
      return recordEnvelope({ Ended: ended }, debugOf(request));
    },
  );

  app.delete(
    '/sessions/:session',
    {
      config,
      schema: {
        operationId: 'endSession',
        summary: 'End one of your own sessions',
        description: 'Ends one session of the signed-in user with all its tokens.',
        ...about,
        querystring: CallQuery,
        params: OwnSessionPath,
        response: endedOneAnswers,
      },
    },
    async (request) => {
      const { id } = signedIn(request);
      existing((await store.endOne(ownerOf(request, id), request.params.session, actorOf(request))) || null);
      return recordEnvelope(null, debugOf(request));
    },
  );
}

function ownerOf({ caller }: FastifyRequest, userId: number): SessionOwner {
  return { userId, callerTags: caller.tags };
}

/** The routes with `self` admit users alone. */
function signedIn({ caller }: FastifyRequest): SignedInUser {
  return required(caller.user);
}

function existing<Found>(found: Found | null): Found {
  if (found === null) throw new ApiError('SESSION_NOT_FOUND');
  return found;
}

function sessionFields({ id, signedInAt, refreshedAt, expiresAt }: UserSession) {
  return { ID: id, SignedInAt: signedInAt, RefreshedAt: refreshedAt, ExpiresAt: expiresAt };
}

const UserPath = pathOf('SESSION_NOT_FOUND', { id: Id });
const SessionPath = pathOf('SESSION_NOT_FOUND', { id: Id, session: Uuid });

const OwnSessionPath = pathOf('SESSION_NOT_FOUND', { session: Uuid });

const moment = (description: string) => Type.String({ format: 'date-time', description });
const sessionProperties = {
  ID: Uuid,
  SignedInAt: moment(
    'The time of the sign-in. In a session that is older than ANAGRAFE_SESSION_DAYS, a refresh within this time.',
  ),
  RefreshedAt: moment('The time of the last refresh, or of the sign-in.'),
  ExpiresAt: moment('The session ends at this time if it is not refreshed before.'),
};
const UserSessionSchema = named(
  'UserSession',
  strictObject(sessionProperties, { description: 'A session of a user: a sign-in and its tokens.' }),
);
const OwnSession = named(
  'OwnSession',
  strictObject(
    { ...sessionProperties, Current: Type.Boolean({ description: 'True for the session of this call.' }) },
    { description: 'A session of the signed-in user.' },
  ),
);
const EndedSessions = named(
  'EndedSessions',
  strictObject({ Ended: count('Number of sessions that were valid.') }),
);

const missing = {
  404: errorAnswer('There is no user with this ID, or the session has ended.', 'SESSION_NOT_FOUND'),
};
const sessionsAnswers = answers(
  'A page of sessions.',
  page('UserSessionsEnvelope', UserSessionSchema),
  missing,
);
const ownSessionsAnswers = answers('A page of sessions.', page('OwnSessionsEnvelope', OwnSession));
const endedAnswers = answers(
  'The sessions have ended.',
  recordPage('EndedSessionsEnvelope', EndedSessions),
  missing,
);
const endedOneAnswers = answers('The session has ended.', Empty, missing);
