import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { requirePermission } from '../clients/access.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import {
  answer,
  Empty,
  errorAnswer,
  errorAnswers,
  Moment,
  recordPage,
  Text,
} from '../http/answer-schemas.ts';
import { accessTokenOf, addressOf } from '../http/credentials.ts';
import { recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  credential,
  Id,
  named,
  optional,
  refined,
  strictObject,
} from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { ApiError } from '../lib/field-errors.ts';
import { isAddress, plainAddress, sourceOf } from '../lib/network.ts';
import { digestOf } from '../lib/secrets.ts';
import { answerSchemas } from '../records/fields/fields.schemas.ts';
import { userFields, valuesOf } from '../records/fields/fields.ts';
import { type AttemptSource, refresh, type SignedIn, type SignInTools, signIn } from './sign-in.ts';

const about = { tags: ['login'], querystring: CallQuery, headers: CallHeaders };

export function loginRoutes(app: Api, tools: SignInTools): void {
  app.post(
    '/login',
    {
      config: { open: true, maxValues: 100 },
      schema: {
        operationId: 'login',
        summary: 'Sign in',
        description:
          'Returns an access token and a refresh token. Send the access token (`Token`) in the header `AccessToken`, or as `Authorization: Bearer`. No API client is required. An unknown user, a wrong password and a disabled user get the same answer. Wrong passwords delay further attempts. A portal that signs in many users sends the credential of an API client and the IP address of each user in `Address`, so that the attempts of one user do not delay the others.',
        ...about,
        body: LoginBody,
        response: loginAnswers,
      },
    },
    async (request) => {
      const { Username: username, Password: password, Address: address = null } = request.body;
      const source = attemptSource(request, address);
      const own = actorOf(request);
      const actor = address === null ? own : { ...own, address: plainAddress(address) };
      return tokensEnvelope(await signIn({ username, password, source, actor }, tools), request);
    },
  );

  app.post(
    '/login/refresh',
    {
      config: { open: true, maxValues: 100 },
      schema: {
        operationId: 'refresh',
        summary: 'Refresh the tokens',
        description:
          'Exchanges a refresh token for a new pair of tokens. A refresh token can be used once. If the answer was lost, it can be used once more within 60 seconds, and the new pair replaces the lost one. If it is used again after that, it may have been stolen, and its session ends.',
        ...about,
        body: RefreshBody,
        response: refreshAnswers,
      },
    },
    async (request) =>
      tokensEnvelope(await refresh(request.body.RefreshToken, actorOf(request), tools), request),
  );

  app.post(
    '/logout',
    {
      config: { self: true, beforePasswordChange: true, emptyBody: true, maxValues: 100 },
      schema: {
        operationId: 'logout',
        summary: 'Sign out',
        description: 'Ends the session of the access token, with all its tokens.',
        ...about,
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
export function attemptSource(request: FastifyRequest, passedOn: string | null): AttemptSource {
  const { clientId } = request.caller;
  if (clientId === null) {
    if (passedOn !== null) throw new ApiError('FORBIDDEN', { variant: 'address' });
    return { name: sourceOf(addressOf(request)), shared: false };
  }
  if (passedOn === null) return { name: `client ${clientId}`, shared: true };
  // A client with `sync:write` can reset passwords, so it gains nothing by evading the throttle.
  requirePermission(request.caller, 'addresses.send');
  return { name: `client ${clientId} for ${sourceOf(passedOn)}`, shared: false };
}

function tokensEnvelope({ account, token, refreshToken, expiresAt }: SignedIn, request: FastifyRequest) {
  const record = {
    IRID: account.principalId,
    UserID: account.userId,
    Username: account.username,
    Denomination: account.denomination,
    Surname: account.surname,
    Name: account.name,
    ...valuesOf(userFields, account),
    Token: token,
    RefreshToken: refreshToken,
    TokenExpiration: expiresAt,
    ...(account.mustChange && { MustChangePassword: true }),
  };
  return recordEnvelope(record, debugOf(request));
}

/** The address of the user on whose behalf an API client calls. */
export const UserAddress = optional(
  refined(
    Type.String({
      description: 'The IP address of the user. Only an API client with the scope `sync:write` can send it.',
    }),
    isAddress,
    'address',
  ),
);

const LoginBody = named(
  'Credentials',
  strictObject(
    {
      Username: credential(),
      Password: credential({ format: 'password' }),
      Address: UserAddress,
    },
    { examples: [{ Username: 'mario.rossi', Password: 'una frase lunga' }] },
  ),
);
const RefreshBody = strictObject({ RefreshToken: credential({ format: 'password' }) });

const Login = named(
  'Login',
  strictObject(
    {
      IRID: Id,
      UserID: Id,
      Username: Type.String(),
      Denomination: Text,
      Surname: Text,
      Name: Text,
      ...answerSchemas(userFields),
      Token: Type.String({ description: 'The access token, for the header `AccessToken`.' }),
      RefreshToken: Type.String({ description: 'The refresh token. It can be used once.' }),
      TokenExpiration: Moment,
      MustChangePassword: Type.Optional(
        Type.Literal(true, {
          description:
            'Present if the user must change its password: until then its tokens are accepted only by `irs/update` and `logout`.',
        }),
      ),
    },
    { description: 'A signed-in user and its tokens.' },
  ),
);

const { 403: _forbidden, ...openErrors } = errorAnswers;
const refreshAnswers = {
  200: answer('The user and its tokens.', recordPage('LoginEnvelope', Login)),
  ...openErrors,
  401: errorAnswer('The refresh token is not valid.', 'UNAUTHENTICATED'),
};
const loginAnswers = {
  ...refreshAnswers,
  401: errorAnswer('Wrong username or password, or the user is disabled.', 'UNAUTHENTICATED'),
  403: errorAnswer(
    '`Address` was sent by a caller that is not an API client with the scope `sync:write`.',
    'FORBIDDEN',
  ),
  429: errorAnswer('Too many calls or wrong passwords. See `Retry-After`.', 'RATE_LIMITED'),
};
const logoutAnswers = { 200: answer('The session has ended.', Empty), ...openErrors };
