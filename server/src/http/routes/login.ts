import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { digestOf } from '../../core/access/keys.ts';
import { readTexts } from '../../core/sessions/read.ts';
import { refresh, type SignedIn, type SignInTools, signIn } from '../../core/sessions/sign-in.ts';
import { sourceOf } from '../../network.ts';
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
          'No API client is needed. `Token` goes into the header `AccessToken`, or `Authorization: Bearer`. An unknown user, a wrong password and a disabled account get the same answer after the same time; many wrong passwords make the next attempt wait.',
        tags,
        querystring: CallQuery,
        headers: CallHeaders,
        body: LoginBody,
        response: loginAnswers,
      },
    },
    async (request, reply) => {
      const { Username: username, Password: password } = readTexts(request.body, ['Username', 'Password']);
      const source = request.caller.clientId === null ? sourceOf(addressOf(request)) : null;
      const signedIn = await signIn({ username, password, author: authorOf(request), source }, tools);
      return answer(signedIn, request, reply);
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
