import { Type } from 'typebox';
import { codeRefused, passwordRefused } from '../accounts/password.routes.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { type ConsoleTools, requireConsolePage, signOutAtConsole } from '../clients/console-session.ts';
import { answers, Empty, errorAnswer, recordPage } from '../http/answer-schemas.ts';
import { setConsoleCookie } from '../http/credentials.ts';
import { recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery, credential, named, optional, strictObject } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { setOperatorPassword } from '../operators/operator-password.ts';
import {
  beginSecondFactor,
  confirmOperator,
  enrolSecondFactor,
  type OperatorSignInTools,
  signInOperator,
} from '../operators/operator-sign-in.ts';
import { openSignedInOperator, type SignedInTools } from './signed-in-operator.plugin.ts';

export interface OperatorSessionTools extends SignedInTools, ConsoleTools {
  readonly operatorSignIn: OperatorSignInTools;
}

/** Registers the routes with which operators sign in, set their passwords and prove their identity. */
export function operatorSessionRoutes(app: Api, tools: OperatorSessionTools): void {
  const { lookUpThrottled, operatorSignIn } = tools;
  const about = { tags: ['console'], querystring: CallQuery, headers: CallHeaders };
  const config = { signIn: true, maxValues: 100 };

  const { attemptOf, signedIn, confirmed } = openSignedInOperator(tools);

  app.post(
    '/console/session/operator',
    {
      config,
      schema: {
        operationId: 'signInOperator',
        summary: 'Sign in to the console as an operator',
        description:
          'Starts a session with email address and password, from a page of the console, and sets an HttpOnly cookie. The session of a cookie that the browser had before ends. An operator with a second factor sends its current code, or a recovery code, as `Code`; without it the answer is `SECOND_FACTOR_REQUIRED`. `GET /console/session` returns the operator.',
        ...about,
        body: SignInBody,
        response: signInAnswers,
      },
    },
    async (request, reply) => {
      const { Email: email, Password: password, Code: code } = request.body;
      // The sign-in does not look up a cookie that is sent, so that it proves nothing.
      const evidence = await lookUpThrottled(
        request,
        async (sent) => {
          requireConsolePage(sent);
          return sent;
        },
        { isValid: () => false },
      );
      const token = await signInOperator({ email, password, code }, attemptOf(request), operatorSignIn);
      await signOutAtConsole(evidence, (caller) => actorOf(request, caller), tools);
      setConsoleCookie(token, request, reply);
      return recordEnvelope(null, debugOf(request));
    },
  );

  app.post(
    '/console/session/confirm',
    {
      config,
      schema: {
        operationId: 'confirmOperator',
        summary: 'Confirm the identity of the operator',
        description:
          'Deletions, merges, undos, changes of operators and exports with hashes are possible only within ten minutes after a sign-in or this call. It takes the password or a code of the second factor.',
        ...about,
        body: ConfirmBody,
        response: confirmAnswers,
      },
    },
    async (request) => {
      const { operator, tokenDigest } = await signedIn(request);
      const { Password: password, Code: code } = request.body;
      const attempt = attemptOf(request, operator);
      await confirmOperator(operator, { password, code }, tokenDigest, attempt, operatorSignIn);
      return recordEnvelope(null, debugOf(request));
    },
  );

  app.post(
    '/console/second-factor',
    {
      config: { ...config, emptyBody: true },
      schema: {
        operationId: 'beginSecondFactor',
        summary: 'Create the secret of a second factor',
        description:
          'Returns a secret for an authenticator app (TOTP). It becomes the second factor of the operator with its first code.',
        ...about,
        response: secretAnswers,
      },
    },
    async (request) => {
      const { secret, uri } = await beginSecondFactor((await confirmed(request)).operator, operatorSignIn);
      return recordEnvelope({ Secret: secret, URI: uri }, debugOf(request));
    },
  );

  app.post(
    '/console/second-factor/confirm',
    {
      config,
      schema: {
        operationId: 'enrolSecondFactor',
        summary: 'Set up the second factor',
        description:
          'Makes the new secret the second factor of the operator, and returns ten recovery codes. Each can be used once instead of a code. Earlier ones end.',
        ...about,
        body: CodeBody,
        response: recoveryAnswers,
      },
    },
    async (request) => {
      const { operator } = await confirmed(request);
      const { actor } = attemptOf(request, operator);
      const codes = await enrolSecondFactor(operator, request.body.Code, actor, operatorSignIn);
      return recordEnvelope({ RecoveryCodes: codes }, debugOf(request));
    },
  );

  app.post(
    '/console/password',
    {
      config,
      schema: {
        operationId: 'setOperatorPassword',
        summary: 'Set the password of an operator with a code',
        description:
          'Sets the password of the operator that has the code, and ends its sessions. A password that is not accepted does not use the code up.',
        ...about,
        body: PasswordBody,
        response: passwordAnswers,
      },
    },
    async (request, reply) => {
      const { Code: code, Password: password, ConfirmPassword: confirmation } = request.body;
      const sent = { code, password, confirmation };
      const result = await setOperatorPassword(sent, attemptOf(request), operatorSignIn);
      if (typeof result !== 'string') return passwordRefused(result, request, reply);
      return recordEnvelope({ Email: result }, debugOf(request));
    },
  );
}

const Password = credential({ format: 'password' });
const SignInBody = named(
  'OperatorSignIn',
  strictObject({ Email: credential(), Password, Code: optional(credential()) }),
);
const ConfirmBody = named(
  'OperatorConfirmation',
  strictObject(
    { Password: optional(Password), Code: optional(credential()) },
    { description: 'Either `Password` or `Code`.' },
  ),
);
const CodeBody = named('SecondFactorCode', strictObject({ Code: credential() }));
const PasswordBody = named(
  'OperatorPassword',
  strictObject({ Code: credential(), Password, ConfirmPassword: Password }),
);

const Secret = named(
  'SecondFactorSecret',
  strictObject({
    Secret: Type.String({ format: 'password', description: 'The secret, to type into an app.' }),
    URI: Type.String({ description: 'The URI for a QR code.' }),
  }),
);
const Recovery = named('RecoveryCodes', strictObject({ RecoveryCodes: Type.Array(Type.String()) }));

const invalid = { 422: errorAnswer('The code is not valid.', 'CODE_INVALID') };
const signInAnswers = answers('The operator is signed in.', Empty);
const confirmAnswers = answers('The identity is confirmed.', Empty);
const secretAnswers = answers('The new secret.', recordPage('SecondFactorEnvelope', Secret));
const recoveryAnswers = answers(
  'The recovery codes.',
  recordPage('RecoveryCodesEnvelope', Recovery),
  invalid,
);
export const OperatorOfCode = named('OperatorOfCode', strictObject({ Email: Type.String() }));
const passwordAnswers = answers(
  'The password is set.',
  recordPage('OperatorOfCodeEnvelope', OperatorOfCode),
  { 422: codeRefused },
);
