import { codeRefused, passwordRefused } from '../accounts/password.routes.ts';
import { answers, Empty, page, recordPage } from '../http/answer-schemas.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery, credential, named, pathOf, strictObject, Uuid } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { changeOperatorPassword, forgotOperatorPassword } from '../operators/operator-password.ts';
import { Ended, missing, SessionSchema, sessionFields } from '../operators/operators.routes.ts';
import { existing, type OperatorTools } from '../operators/operators.ts';
import { OperatorOfCode, type OperatorSessionTools } from './operator-session.routes.ts';
import { openSignedInOperator } from './signed-in-operator.plugin.ts';

interface OwnAccountTools extends OperatorSessionTools {
  readonly operators: OperatorTools;
}

/** Registers what an operator does with its own account: sessions and password. */
export function ownAccountRoutes(app: Api, tools: OwnAccountTools): void {
  const { operatorSignIn, operators } = tools;
  const about = { tags: ['console'], querystring: CallQuery, headers: CallHeaders };
  const config = { signIn: true, maxValues: 100 };
  const { attemptOf, signedIn, confirmed } = openSignedInOperator(tools);

  app.post(
    '/console/password/forgot',
    {
      config,
      schema: {
        operationId: 'forgotOperatorPassword',
        summary: 'Report a forgotten password of an operator',
        description:
          'Mails a code to the operator with this address. The answer is the same if there is none, and without a mail server. The present password stays valid.',
        ...about,
        body: ForgottenBody,
        response: forgottenAnswers,
      },
    },
    async (request) => {
      await forgotOperatorPassword(request.body.Email, attemptOf(request), operatorSignIn);
      return recordEnvelope(null, debugOf(request));
    },
  );

  app.post(
    '/console/password/change',
    {
      config,
      schema: {
        operationId: 'changeOperatorPassword',
        summary: 'Change the own password of an operator',
        description:
          'Requires a confirmation within the last ten minutes. Ends the other sessions of the operator.',
        ...about,
        body: ChangeBody,
        response: changeAnswers,
      },
    },
    async (request, reply) => {
      const session = await confirmed(request);
      const { Password: password, ConfirmPassword: confirmation } = request.body;
      const { actor } = attemptOf(request, session.operator);
      const errors = await changeOperatorPassword({ password, confirmation }, session, actor, operatorSignIn);
      if (errors) return passwordRefused(errors, request, reply);
      return recordEnvelope({ Email: session.operator.email }, debugOf(request));
    },
  );

  app.get(
    '/console/sessions',
    {
      config,
      schema: {
        operationId: 'ownOperatorSessions',
        summary: 'List the own sessions of an operator',
        description: 'Returns the sessions that have not ended, the most recently used first.',
        ...about,
        response: sessionsAnswers,
      },
    },
    async (request) => {
      const { operator, tokenDigest } = await signedIn(request);
      const sessions = existing(await operators.store.listSessions(operator.id, tokenDigest));
      const shown = { totalCount: sessions.length, pageSize: Math.max(sessions.length, 1) };
      return pageEnvelope(shown, sessions.map(sessionFields), debugOf(request));
    },
  );

  app.delete(
    '/console/sessions',
    {
      config: { ...config, emptyBody: true },
      schema: {
        operationId: 'endOtherOperatorSessions',
        summary: 'End the other sessions of an operator',
        description: 'Ends all own sessions except the one that sends the request.',
        ...about,
        response: endedAnswers,
      },
    },
    async (request) => {
      const { operator, tokenDigest } = await signedIn(request);
      const { actor } = attemptOf(request, operator);
      const ended = await operators.store.endSessions(operator.id, null, actor, tokenDigest);
      return recordEnvelope({ Ended: existing(ended) }, debugOf(request));
    },
  );

  app.delete(
    '/console/sessions/:session',
    {
      config: { ...config, emptyBody: true },
      schema: {
        operationId: 'endOwnOperatorSession',
        summary: 'End one own session of an operator',
        description: 'Ends one own session.',
        ...about,
        params: SessionPath,
        response: endedOneAnswers,
      },
    },
    async (request) => {
      const { operator } = await signedIn(request);
      const { actor } = attemptOf(request, operator);
      existing((await operators.store.endSessions(operator.id, request.params.session, actor)) || null);
      return recordEnvelope(null, debugOf(request));
    },
  );
}

const Password = credential({ format: 'password' });
const ForgottenBody = named('ForgottenOperatorPassword', strictObject({ Email: credential() }));
const ChangeBody = named('NewOperatorPassword', strictObject({ Password, ConfirmPassword: Password }));
const SessionPath = pathOf('OPERATOR_NOT_FOUND', { session: Uuid });

const forgottenAnswers = answers('The request was received, whether there is an operator or not.', Empty);
const changeAnswers = answers(
  'The password is changed.',
  recordPage('OperatorOfCodeEnvelope', OperatorOfCode),
  { 422: codeRefused },
);
const sessionsAnswers = answers('The sessions.', page('OperatorSessionsEnvelope', SessionSchema));
const endedAnswers = answers(
  'The other sessions have ended.',
  recordPage('EndedOperatorSessionsEnvelope', Ended),
);
const endedOneAnswers = answers('The session has ended.', Empty, missing);
