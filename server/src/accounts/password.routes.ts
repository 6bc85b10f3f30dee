import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../clients/authentication.plugin.ts';
import { answer, Empty, ErrorDetail, errorAnswer, errorAnswers, recordPage } from '../http/answer-schemas.ts';
import { emptyResult, recordEnvelope } from '../http/envelope.ts';
import { debugOf, languageOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery, credential, named, optional, strictObject } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { FieldErrors, isPartOfOutage, wrongParameter } from '../lib/field-errors.ts';
import { plainAddress } from '../lib/network.ts';
import { type Language, translate } from '../lib/translate.ts';
import { fieldErrorsByPlace } from '../records/read/tuple.ts';
import { attemptSource, UserAddress } from './login.routes.ts';
import { checkNewPassword, type ResetTools } from './own-password.ts';
import { forgotPassword, type PasswordTools, setPassword } from './password.ts';

const about = { tags: ['login'], querystring: CallQuery, headers: CallHeaders };
const config = { open: true, maxValues: 100 };
/** Number of passwords that a caller may check in a minute. */
const checksPerMinute = 120;

/** Registers the calls with which users set their passwords without being signed in. */
export function passwordRoutes(app: Api, tools: PasswordTools & ResetTools): void {
  app.post(
    '/password/forgot',
    {
      config,
      schema: {
        operationId: 'forgotPassword',
        summary: 'Report a forgotten password',
        description:
          'The user with the `Username`, or the users with the `Email`, get a mail with a link to set the password. The answer and its time are the same whether or not the account exists. Many requests for one account, or from one address, are delayed.',
        ...about,
        body: ForgottenBody,
        response: forgottenAnswers,
      },
    },
    async (request) => {
      const { Username: username, Email: email, Address } = request.body;
      if (username !== undefined && email !== undefined)
        throw wrongParameter('Email', 'exclusive', { other: 'Username' });
      const name = email === undefined ? { username: username ?? '' } : { email };
      if (username === undefined && email === undefined)
        throw wrongParameter('Username', 'text', { max: 4096 });
      await forgotPassword({ name, ...attemptOf(request, Address) }, tools);
      return recordEnvelope(null, debugOf(request));
    },
  );

  app.post(
    '/password/set',
    {
      config,
      schema: {
        operationId: 'setPassword',
        summary: 'Set the password with a code',
        description:
          'Sets the password of the user that has the code of an invitation or of a forgotten password, and ends its sessions. The code can be used once; a password that is not accepted does not use it up. Case, spaces and dashes of the code do not count.',
        ...about,
        body: SetBody,
        response: setAnswers,
      },
    },
    async (request, reply) => {
      const { Code: code, Password: password, ConfirmPassword: confirmation, Address } = request.body;
      const report = (error: unknown) => {
        if (!isPartOfOutage(error))
          request.log.error({ err: error }, 'unexpected error while setting a password');
      };
      const call = { code, password, confirmation, report, ...attemptOf(request, Address) };
      const result = await setPassword(call, tools);
      if (!(result instanceof FieldErrors))
        return recordEnvelope({ Username: result.username }, debugOf(request));
      return passwordRefused(result, request, reply);
    },
  );

  app.post(
    '/password/check',
    {
      // Pages send this call while the user types.
      config: { ...config, rateLimit: { max: checksPerMinute } },
      schema: {
        operationId: 'checkPassword',
        summary: 'Check a new password',
        description:
          'Returns the rules that the password violates, for a page on which a user chooses one. Nothing is stored. Passwords that the user had before are not checked.',
        ...about,
        body: CheckBody,
        response: checkAnswers,
      },
    },
    async (request, reply) => {
      const errors = await checkNewPassword(request.body, tools);
      const language = languageOf(request);
      reply.header('content-language', language);
      return recordEnvelope(fieldErrorsOf(errors, language), debugOf(request));
    },
  );
}

export function passwordRefused(errors: FieldErrors, request: FastifyRequest, reply: FastifyReply) {
  const language = languageOf(request);
  reply.code(422).header('content-language', language);
  return {
    statusCode: 422,
    errorCode: 'PASSWORD_REFUSED',
    message: translate({ code: 'PASSWORD_REFUSED' }, language),
    result: { ...emptyResult, record: fieldErrorsOf(errors, language) },
    debug: debugOf(request, 'PASSWORD_REFUSED'),
  };
}

function fieldErrorsOf({ byPlace }: FieldErrors, language: Language) {
  return { FieldErrors: fieldErrorsByPlace(byPlace, language) };
}

function attemptOf(request: FastifyRequest, address: string | undefined) {
  const own = actorOf(request);
  const actor = address === undefined ? own : { ...own, address: plainAddress(address) };
  return { source: attemptSource(request, address ?? null), actor };
}

const ForgottenBody = named(
  'ForgottenPassword',
  strictObject(
    { Username: optional(credential()), Email: optional(credential()), Address: UserAddress },
    { description: 'Either `Username` or `Email`.', examples: [{ Username: 'mario.rossi' }] },
  ),
);
const SetBody = named(
  'CodeAndPassword',
  strictObject(
    {
      Code: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The code, as typed or from the link.',
      }),
      Password: credential({ format: 'password' }),
      ConfirmPassword: credential({ format: 'password', description: 'The same value as `Password`.' }),
      Address: UserAddress,
    },
    {
      examples: [
        {
          Code: '7K3M-9QX2-CW4T-H8JD-6PFR-1NAY-V05E',
          Password: 'una frase lunga',
          ConfirmPassword: 'una frase lunga',
        },
      ],
    },
  ),
);

const CheckBody = named(
  'PasswordToCheck',
  strictObject(
    {
      Password: credential({ format: 'password' }),
      Username: optional(credential({ description: 'The name that the password must differ from.' })),
      Email: optional(credential({ description: 'The address that the password must differ from.' })),
    },
    { examples: [{ Password: 'una frase lunga', Username: 'mario.rossi' }] },
  ),
);

const UserOfCode = named(
  'UserOfCode',
  strictObject({ Username: Type.String() }, { description: 'The user whose password was set.' }),
);
const RefusedPassword = named(
  'RefusedPassword',
  strictObject(
    { FieldErrors: Type.Record(Type.String(), Type.Array(ErrorDetail)) },
    { description: 'The errors of `Password` and `ConfirmPassword`.' },
  ),
);

const { 401: _unauthenticated, ...openErrors } = errorAnswers;
const limited = (description: string) => ({ 429: errorAnswer(description, 'RATE_LIMITED') });
const forgottenAnswers = {
  200: answer('The request was received, whether there is an account or not.', Empty),
  ...openErrors,
  ...limited('Too many calls, in total or for this account. See `Retry-After`.'),
};
const checkAnswers = {
  200: answer(
    'The violated rules; `FieldErrors` is empty if the password is accepted.',
    recordPage('RefusedPasswordEnvelope', RefusedPassword),
  ),
  ...openErrors,
};
/** The answer with status 422 of a call that sets a password with a code. */
export const codeRefused = answer(
  '`CODE_INVALID`: the code is unknown, expired or already used. `PASSWORD_REFUSED`: the password was not accepted, and the code is still valid.',
  recordPage('RefusedPasswordEnvelope', RefusedPassword),
);
const setAnswers = {
  200: answer('The password was set.', recordPage('UserOfCodeEnvelope', UserOfCode)),
  422: codeRefused,
  ...openErrors,
  ...limited('Too many calls or wrong codes. See `Retry-After`.'),
};
