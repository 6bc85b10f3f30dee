import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireScope } from '../clients/access.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { accessTokenOf, addressOf } from '../http/credentials.ts';
import { recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { loginAnswers, logoutAnswers } from '../http/schemas/answers.ts';
import { CallHeaders, CallQuery, LoginBody, RefreshBody } from '../http/schemas/requests.ts';
import { ApiError } from '../lib/field-errors.ts';
import { plainAddress, sourceOf } from '../lib/network.ts';
import { digestOf } from '../lib/secrets.ts';
import {
  type AttemptSource,
  readCredentials,
  readTexts,
  refresh,
  type SignedIn,
  type SignInTools,
  signIn,
} from './sign-in.ts';

const tags = ['login'];

/** Registers `/login`, `/login/refresh` and `/logout`, which manage the sessions of users. */
export function loginRoutes(app: FastifyInstance, tools: SignInTools): void {
  app.post(
    '/login',
    {
      config: { open: true, maxValues: 100 },
      schema: {
        operationId: 'login',
        summary: 'Sign a user in',
        description:
          'No API client is needed. `Token` goes into the header `AccessToken`, or `Authorization: Bearer`. An unknown user, a wrong password and a disabled account get the same answer after the same time; many wrong passwords make the next attempt wait. An API client that signs users in, such as a portal, passes on the address of each user in `Address`, so that the wrong passwords of one do not make the others wait.',
        tags,
        querystring: CallQuery,
        headers: CallHeaders,
        body: LoginBody,
        response: loginAnswers,
      },
    },
    async (request, reply) => {
      const { username, password, address } = readCredentials(request.body);
      const source = attemptSource(request, address);
      const actor = actorOf(request);
      const attempt = {
        username,
        password,
        source,
        actor: address === null ? actor : { ...actor, address: plainAddress(address) },
      };
      return answer(await signIn(attempt, tools), request, reply);
    },
  );

  app.post(
    '/login/refresh',
    {
      config: { open: true, maxValues: 100 },
      schema: {
        operationId: 'refresh',
        summary: 'Exchange a refresh token for the next pair of tokens',
        description:
          'A refresh token is good for one exchange. One that is sent again has been stolen from someone, and ends everything that came of the same sign-in.',
        tags,
        querystring: CallQuery,
        headers: CallHeaders,
        body: RefreshBody,
        response: loginAnswers,
      },
    },
    async (request, reply) => {
      const { RefreshToken: token } = readTexts(request.body, ['RefreshToken']);
      return answer(await refresh(token, actorOf(request), tools), request, reply);
    },
  );

  app.post(
    '/logout',
    {
      config: { self: true, emptyBody: true, maxValues: 100 },
      schema: {
        operationId: 'logout',
        summary: 'Sign out',
        description: 'Ends everything that came of the sign-in of the `AccessToken`.',
        tags,
        querystring: CallQuery,
        headers: CallHeaders,
        response: logoutAnswers,
      },
    },
    async (request) => {
      await tools.sessions.end(digestOf(accessTokenOf(request) ?? ''), actorOf(request));
      return recordEnvelope(null, debugOf(request));
    },
  );
}

/**
 * Returns the source for the login throttle: the address of the request, or the user address that an API client sends,
 * because all its users may share one address. Such an address counts only for this client. Other callers may not send
 * one, since a new address for each guess would evade the throttle.
 */
function attemptSource(request: FastifyRequest, passedOn: string | null): AttemptSource {
  const { clientId } = request.caller;
  if (clientId === null) {
    if (passedOn !== null) throw new ApiError('FORBIDDEN', { variant: 'address' });
    return { name: sourceOf(addressOf(request)), shared: false };
  }
  if (passedOn === null) return { name: `client ${clientId}`, shared: true };
  // A client with `sync:write` can reset passwords, so it gains nothing by evading the throttle.
  requireScope(request.caller, 'sync:write');
  return { name: `client ${clientId} for ${sourceOf(passedOn)}`, shared: false };
}

function answer(
  { account, token, refreshToken, expiresAt }: SignedIn,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  return reply.send(
    recordEnvelope(
      {
        IRID: account.principalId,
        UserID: account.userId,
        Username: account.username,
        Denomination: account.denomination,
        Surname: account.surname,
        Name: account.name,
        Token: token,
        RefreshToken: refreshToken,
        TokenExpiration: expiresAt,
      },
      debugOf(request),
    ),
  );
}
