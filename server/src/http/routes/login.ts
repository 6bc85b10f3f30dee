import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { demandScope } from '../../core/access/access.ts';
import { digestOf } from '../../core/access/keys.ts';
import { Refusal } from '../../core/faults.ts';
import { readCredentials, readTexts } from '../../core/sessions/read.ts';
import {
  type AttemptSource,
  refresh,
  type SignedIn,
  type SignInTools,
  signIn,
} from '../../core/sessions/sign-in.ts';
import { plainAddress, sourceOf } from '../../network.ts';
import { authorOf } from '../access.ts';
import { debugOf } from '../call.ts';
import { recordEnvelope } from '../envelope.ts';
import { accessTokenOf, addressOf } from '../evidence.ts';
import { loginAnswers, logoutAnswers } from '../schemas/answers.ts';
import { CallHeaders, CallQuery, LoginBody, RefreshBody } from '../schemas/requests.ts';

const tags = ['login'];

/** `login`, `login/refresh` and `logout`: the sessions of users. */
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
      const author = authorOf(request);
      const attempt = {
        username,
        password,
        source,
        author: address === null ? author : { ...author, address: plainAddress(address) },
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
      return answer(await refresh(token, authorOf(request), tools), request, reply);
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
      await tools.sessions.end(digestOf(accessTokenOf(request) ?? ''), authorOf(request));
      return recordEnvelope(null, debugOf(request));
    },
  );
}

/**
 * The address that the request comes from. All users of an API client may come from one address: it may pass on theirs,
 * which count for this client alone. Any other caller could escape the count of its guesses by naming addresses.
 */
function attemptSource(request: FastifyRequest, passedOn: string | null): AttemptSource {
  const { clientId } = request.caller;
  if (clientId === null) {
    if (passedOn !== null) throw new Refusal('FORBIDDEN', { variant: 'address' });
    return { name: sourceOf(addressOf(request)), shared: false };
  }
  if (passedOn === null) return { name: `client ${clientId}`, shared: true };
  // A client that may reset passwords gains nothing by escaping the count of its guesses.
  demandScope(request.caller, 'sync:write');
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
