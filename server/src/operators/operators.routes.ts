import { Type } from 'typebox';
import { actorOf } from '../clients/authentication.plugin.ts';
import { NewCallerTags, ShownCallerTags, tagsOf } from '../clients/caller-tags.schemas.ts';
import { roles } from '../clients/permissions.ts';
import {
  answers,
  count,
  Empty,
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
  pathOf,
  State,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import {
  changeOperator,
  existing,
  type InvitedOperator,
  inviteOperator,
  type Operator,
  type OperatorSession,
  type OperatorTools,
  operatorStates,
  resetOperator,
} from './operators.ts';

/** Registers the routes that manage operators. */
export function operatorRoutes(app: Api, tools: OperatorTools): void {
  const about = { tags: ['admin'], querystring: CallQuery, headers: CallHeaders };
  const read = { permission: 'operators.read' } as const;
  const write = { permission: 'operators.write', maxValues: 100 } as const;

  app.get(
    '/operators',
    {
      // Every list names operators; their sessions are for administrators.
      config: { permission: 'service.read' },
      schema: {
        operationId: 'operators',
        summary: 'List operators',
        description: 'Returns all operators in the order of their creation, including disabled ones.',
        ...about,
        response: operatorsAnswers,
      },
    },
    async (request) => allOf((await tools.store.list()).map(operatorFields), debugOf(request)),
  );

  app.post(
    '/operators',
    {
      config: write,
      schema: {
        operationId: 'createOperator',
        summary: 'Create an operator',
        description:
          'Invites a person to the console. Only this answer contains the `Code` with which the operator sets its password.',
        ...about,
        body: NewOperatorBody,
        response: invitedAnswers,
      },
    },
    async (request) => {
      const { Email: email, Name: name, Role: role, Tags: tags, Mail: byMail } = request.body;
      const operator = { email, name, role, tags: tagsOf(tags) };
      const invited = await inviteOperator(operator, tools, actorOf(request), byMail);
      return recordEnvelope(invitedFields(invited), debugOf(request));
    },
  );

  app.patch(
    '/operators/:id',
    {
      config: write,
      schema: {
        operationId: 'changeOperator',
        summary: 'Change an operator',
        description:
          'Fields that are not sent stay unchanged. The change applies from the next request of the operator; the state `disabled` ends its sessions. The last active operator with the role `admin` keeps its role and its state.',
        ...about,
        params: OperatorPath,
        body: OperatorChangeBody,
        response: operatorAnswers,
      },
    },
    async (request) => {
      const { Name: name, Role: role, State: state } = request.body;
      const change = {
        ...(name !== undefined && { name }),
        ...(role !== undefined && { role }),
        ...(state !== undefined && { disabled: state === 'disabled' }),
      };
      const operator = await changeOperator(request.params.id, change, tools, actorOf(request));
      return recordEnvelope(operatorFields(operator), debugOf(request));
    },
  );

  app.post(
    '/operators/:id/reset',
    {
      config: { ...write, emptyBody: true },
      schema: {
        operationId: 'resetOperator',
        summary: 'Reset the password and the second factor of an operator',
        description:
          'Removes both, ends the sessions, enables a disabled operator, and returns a new `Code`, which only this answer contains. Earlier codes end.',
        ...about,
        params: OperatorPath,
        body: ResetBody,
        response: invitedAnswers,
      },
    },
    async (request) => {
      const byMail = request.body.Mail;
      const invited = await resetOperator(request.params.id, tools, actorOf(request), byMail);
      return recordEnvelope(invitedFields(invited), debugOf(request));
    },
  );

  app.get(
    '/operators/:id/sessions',
    {
      config: read,
      schema: {
        operationId: 'operatorSessions',
        summary: 'List the sessions of an operator',
        description: 'Returns the sessions that have not ended, the most recently used first.',
        ...about,
        params: OperatorPath,
        response: sessionsAnswers,
      },
    },
    async (request) => {
      const sessions = existing(await tools.store.listSessions(request.params.id));
      return allOf(sessions.map(sessionFields), debugOf(request));
    },
  );

  app.delete(
    '/operators/:id/sessions',
    {
      config: { ...write, emptyBody: true },
      schema: {
        operationId: 'endOperatorSessions',
        summary: 'End the sessions of an operator',
        description: 'Ends all sessions of the operator.',
        ...about,
        params: OperatorPath,
        response: endedAnswers,
      },
    },
    async (request) => {
      const ended = await tools.store.endSessions(request.params.id, null, actorOf(request));
      return recordEnvelope({ Ended: existing(ended) }, debugOf(request));
    },
  );

  app.delete(
    '/operators/:id/sessions/:session',
    {
      config: { ...write, emptyBody: true },
      schema: {
        operationId: 'endOperatorSession',
        summary: 'End one session of an operator',
        description: 'Ends one session of the operator.',
        ...about,
        params: SessionPath,
        response: endedOneAnswers,
      },
    },
    async (request) => {
      const { id, session } = request.params;
      existing((await tools.store.endSessions(id, session, actorOf(request))) || null);
      return recordEnvelope(null, debugOf(request));
    },
  );
}

function allOf<Item>(items: Item[], debug: ReturnType<typeof debugOf>) {
  return pageEnvelope({ totalCount: items.length, pageSize: Math.max(items.length, 1) }, items, debug);
}

function operatorFields({ id, email, name, role, tags, state, hasSecondFactor, createdAt }: Operator) {
  return {
    ID: id,
    Email: email,
    Name: name,
    Role: role,
    Tags: tags,
    State: state,
    SecondFactor: hasSecondFactor,
    CreatedAt: createdAt,
  };
}

function invitedFields({ operator, code }: InvitedOperator) {
  return { ...operatorFields(operator), Code: code.text, URL: code.url, ExpiresAt: code.expiresAt };
}

export function sessionFields({ id, address, signedInAt, usedAt, isOwn }: OperatorSession) {
  return { ID: id, Address: address, SignedInAt: signedInAt, UsedAt: usedAt, Current: isOwn };
}

export const RoleSchema = named('Role', oneOf(roles));
const operator = {
  ID: Type.Integer({ ...Id, description: 'The ID of the operator, which is `ClientID` in the audit log.' }),
  Email: Type.String(),
  Name: Type.String(),
  Role: RoleSchema,
  Tags: ShownCallerTags,
  State: oneOf(operatorStates, { description: '`invited`: the operator has no password yet.' }),
  SecondFactor: Type.Boolean({ description: 'True if the operator has set up the second factor.' }),
  CreatedAt: Moment,
};
const OperatorSchema = named(
  'Operator',
  strictObject(operator, { description: 'A person who signs in to the console.' }),
);
const Invited = named(
  'InvitedOperator',
  strictObject({
    ...operator,
    Code: Type.String({ format: 'password', description: 'The code for `POST /console/password`.' }),
    URL: nullable(
      Type.String({ description: 'The page that takes the code; null without `ANAGRAFE_PUBLIC_URL`.' }),
    ),
    ExpiresAt: Moment,
  }),
);
export const SessionSchema = named(
  'OperatorSession',
  strictObject({
    ID: Uuid,
    Address: Text,
    SignedInAt: Moment,
    UsedAt: Moment,
    Current: Type.Boolean({ description: 'True for the session that sends the request.' }),
  }),
);
export const Ended = named(
  'EndedOperatorSessions',
  strictObject({ Ended: count('Number of sessions that were ended.') }),
);

const Email = Type.String({ minLength: 1, maxLength: 254 });
const Name = Type.String({ minLength: 1, maxLength: 255 });
const ByMail = optional(Type.Boolean({ description: 'True to send the code to the operator by mail, too.' }));
const ResetBody = named('ResetOperator', strictObject({ Mail: ByMail }));
const NewOperatorBody = named(
  'CreateOperator',
  strictObject(
    { Email, Name, Role: RoleSchema, Tags: NewCallerTags, Mail: ByMail },
    { examples: [{ Email: 'anna@example.com', Name: 'Anna Bianchi', Role: 'desk' }] },
  ),
);
const OperatorChangeBody = named(
  'OperatorChange',
  strictObject(
    { Name: optional(Name), Role: optional(RoleSchema), State: optional(State) },
    { examples: [{ Role: 'editor' }] },
  ),
);
const OperatorPath = pathOf('OPERATOR_NOT_FOUND', { id: Id });
const SessionPath = pathOf('OPERATOR_NOT_FOUND', { id: Id, session: Uuid });
export const missing = {
  404: errorAnswer('There is no operator or no session with this ID.', 'OPERATOR_NOT_FOUND'),
};
const refused = {
  ...missing,
  422: errorAnswer('The values are not valid, or no administrator would be left.', 'LAST_ADMINISTRATOR'),
};
const operatorsAnswers = answers('All operators.', page('OperatorsEnvelope', OperatorSchema));
const operatorAnswers = answers('The operator.', recordPage('OperatorEnvelope', OperatorSchema), refused);
const invitedAnswers = answers(
  'The operator with its code.',
  recordPage('InvitedOperatorEnvelope', Invited),
  refused,
);
const sessionsAnswers = answers('The sessions.', page('OperatorSessionsEnvelope', SessionSchema), missing);
const ended = recordPage('EndedOperatorSessionsEnvelope', Ended);
const endedAnswers = answers('The sessions have ended.', ended, missing);
const endedOneAnswers = answers('The session has ended.', Empty, missing);
