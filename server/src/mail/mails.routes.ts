import { Type } from 'typebox';
import { actorOf } from '../clients/authentication.plugin.ts';
import {
  answers,
  Count,
  count,
  errorAnswer,
  Moment,
  page,
  recordPage,
  Text,
} from '../http/answer-schemas.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  Id,
  named,
  nullable,
  oneOf,
  optional,
  PageQuery,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { ApiError, wrongParameter } from '../lib/field-errors.ts';
import { type MailHistory, mailKinds, mailStates, type StoredMail } from './mail.ts';
import type { Mailer } from './mailer.ts';

export interface MailTools {
  readonly history: MailHistory;
  /** Null if no mail server is configured. */
  readonly mailer: Mailer | null;
}

/** Registers `/admin/v1/mails`. No answer contains a code. */
export function mailRoutes(app: Api, { history: mails, mailer }: MailTools): void {
  const common = { tags: ['admin'], headers: CallHeaders };

  app.get(
    '/mails',
    {
      config: { permission: 'admin.read', limited: true },
      schema: {
        ...common,
        operationId: 'mails',
        summary: 'List mails',
        description:
          'Returns the newest 10,000 mails with a code, the newest first: those that wait, those that were sent, and those that failed, with the answer of the mail server.',
        querystring: MailQuery,
        response: mailsAnswers,
      },
    },
    async (request) => {
      const { page, pageSize, state = null, callId = null, run = null, user: userId = null } = request.query;
      const { tags: callerTags } = request.caller;
      const listing = { page, pageSize, state, callId, run, userId, callerTags };
      const { mails: listed, totalCount } = await mails.list(listing);
      return pageEnvelope({ page, pageSize, totalCount }, listed.map(mailFields), debugOf(request));
    },
  );

  app.post(
    '/mails/resend',
    {
      config: { permission: 'mails.resend', limited: true, maxValues: 10 },
      schema: {
        ...common,
        operationId: 'resendMails',
        summary: 'Send invitations by mail again',
        description:
          'Sends a new mail, with a new code, to every user that was invited by mail and has not set its password since: those that were invited by `CallID`, or all. With `State`, only those whose last mail has this state: `failed` after addresses were corrected, `stopped` to continue a job whose mails were stopped. Codes of earlier mails end.',
        querystring: CallQuery,
        body: ResendBody,
        response: resendAnswers,
      },
    },
    async (request) => {
      if (!mailer) throw new ApiError('NO_MAIL_SERVER');
      const { CallID: callId = null, State: state = null, PerMinute: perMinute = null } = request.body;
      const { tags: callerTags } = request.caller;
      if (perMinute !== null && callId === null)
        throw wrongParameter('PerMinute', 'needs', { other: 'CallID' });
      const queued = await mails.resend({ callId, state, perMinute, callerTags }, actorOf(request));
      return recordEnvelope({ Queued: queued }, debugOf(request));
    },
  );
}

function mailFields(mail: StoredMail) {
  return {
    ID: mail.id,
    Kind: mail.kind,
    State: mail.state,
    IRID: mail.principalId,
    UserID: mail.userId,
    Username: mail.username,
    Email: mail.email,
    CallID: mail.callId,
    CreatedAt: mail.createdAt,
    Attempts: mail.attempts,
    NextAt: mail.nextAt,
    SettledAt: mail.settledAt,
    Answer: mail.answer,
  };
}

export const PerMinute = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  description:
    'Maximum number of mails that are sent per minute. By default as many as the mail server accepts.',
});

const MailQuery = Type.Object({
  state: Type.Optional(oneOf(mailStates, { description: 'Returns only mails with this state.' })),
  callId: Type.Optional(
    Type.String({ format: 'uuid', description: 'Returns only mails of this call or job.' }),
  ),
  run: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Returns only mails of the calls of this run, such as an import.',
    }),
  ),
  user: Type.Optional(Type.Integer({ ...Id, description: 'The ID of the user whose mails are returned.' })),
  ...PageQuery.properties,
});

const ResendBody = named(
  'ResendMails',
  strictObject(
    {
      CallID: optional(Uuid),
      State: optional(oneOf(['sent', 'failed', 'stopped'])),
      PerMinute: optional(PerMinute),
    },
    { examples: [{ CallID: '0198c0f4-7a3c-7c6e-9d2a-1f5b8e4d7a90', PerMinute: 100 }] },
  ),
);

const ResentMails = named(
  'ResentMails',
  strictObject({ Queued: count('Number of mails that wait to be sent.') }),
);

const MailSchema = named(
  'Mail',
  strictObject(
    {
      ID: Type.String({ format: 'uuid', description: 'Also the identifier in the `Message-ID`.' }),
      Kind: oneOf(mailKinds, {
        description: 'The reason for the mail: an invitation or a forgotten password.',
      }),
      State: oneOf(mailStates, {
        description:
          '`pending`: it waits for its first or next attempt. `failed`: no later attempt will follow. `stopped`: too many other mails of its job have failed.',
      }),
      IRID: nullable(Id),
      UserID: Id,
      Username: Text,
      Email: nullable(Type.String({ description: 'The address that the user has now.' })),
      CallID: nullable(
        Type.String({ format: 'uuid', description: 'The call or job that has invited the user.' }),
      ),
      CreatedAt: Moment,
      Attempts: Count,
      NextAt: nullable(Moment),
      SettledAt: nullable(
        Type.String({ format: 'date-time', description: 'When it was sent, failed or stopped.' }),
      ),
      Answer: nullable(
        Type.String({ description: 'The answer of the mail server to the last attempt that failed.' }),
      ),
    },
    { description: 'A mail with a code, without the code.' },
  ),
);

const mailsAnswers = answers('A page of the mails.', page('MailsEnvelope', MailSchema));
const resendAnswers = {
  ...answers('The mails wait to be sent.', recordPage('ResentMailsEnvelope', ResentMails)),
  422: errorAnswer('No mail server is configured.', 'NO_MAIL_SERVER'),
};
