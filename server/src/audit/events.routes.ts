import { type TSchema, Type } from 'typebox';
import { readGroup } from '../db/paging.ts';
import { answers, Count, Moment, page, Text } from '../http/answer-schemas.ts';
import { pageEnvelope } from '../http/envelope.ts';
import {
  CallHeaders,
  debug,
  Id,
  named,
  nullable,
  Operation,
  oneOf,
  order,
  paging,
  refined,
  State,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import { sendEnvelope } from '../http/streaming.ts';
import type { Api } from '../http/validation.ts';
import { type CloudEvent, type EventStore, type EventType, eventTypes } from './events.ts';
import { isEventId, readEvents } from './read-events.ts';

/** Registers `GET /events`: the CloudEvents in order, for consumers that poll instead of using webhooks. */
export function eventRoute(app: Api, store: EventStore): void {
  app.get(
    '/events',
    {
      config: { permission: 'records.read', limited: true },
      schema: {
        operationId: 'events',
        summary: 'List events',
        description:
          'Returns changes to principals and users as CloudEvents 1.0, in one order for all readers. To get the next events, send `result.record.After` as `after`: no event is missed or returned twice. `order=newest` begins with the latest event and continues with older ones. A caller that is limited by tags gets the events of its principals and calls; a page may then be empty although `result.record.More` is true.',
        tags: ['events'],
        querystring: EventQuery,
        headers: CallHeaders,
        response: eventAnswers,
      },
    },
    async (request, reply) => {
      const { order, after: from = null, pageSize } = request.query;
      const { count, events, after, more } = await readGroup(() =>
        readEvents({ order, after: from, callerTags: request.caller.tags }, pageSize, store),
      );
      const page = pageEnvelope<never>({ totalCount: count, count, pageSize }, [], null, {
        After: after,
        More: more,
      });
      return sendEnvelope(reply, page, eventItems(events));
    },
  );
}

async function* eventItems(events: Iterable<CloudEvent>): AsyncGenerator<string[]> {
  for (const event of events) yield [JSON.stringify(event)];
}

const EventQuery = Type.Object({
  ...order,
  after: Type.Optional(
    refined(
      Type.String({
        description:
          'The ID of the last event that was read. Without it, the list begins with the first event of the order.',
      }),
      isEventId,
      'after',
    ),
  ),
  pageSize: paging.pageSize,
  ...debug,
});

export const EventTypeName = named('EventType', oneOf(eventTypes));

const ExternalKey = nullable(
  Type.String({
    description: 'The current external key of the principal. Null if it has none or was deleted.',
  }),
);
const Changed = Type.Array(Type.String(), { description: 'The names of the changed fields.' });
const operator = {
  Operator: Type.Optional(
    Type.String({ description: 'The name of the operator at the console who did it; absent otherwise.' }),
  ),
};
const principal = { ...operator, IRID: Id, ExternalKey };
const user = { ...principal, UserID: Id, Username: Text, Email: Text };
const UserData = named('UserData', strictObject(user));
const figures = {
  ...operator,
  Records: Count,
  RecordsFailed: Count,
  Users: Count,
  UsersApplied: Count,
};

const data: Readonly<Record<EventType, TSchema>> = {
  'principal.inserted': strictObject(principal),
  'principal.updated': strictObject({ ...principal, Changed }),
  'principal.state_changed': strictObject({ ...principal, State }),
  'principal.merged': strictObject({
    ...principal,
    FromIRID: nullable(
      Type.Integer({
        ...Id,
        description:
          'The ID of the principal that was merged into this one. Null if the caller is limited by tags and did not see it.',
      }),
    ),
    FromExternalKey: nullable(Type.String({ description: 'The external key of the merged principal.' })),
  }),
  'principal.deleted': strictObject({
    ...operator,
    IRID: Id,
    ExternalKey: nullable(Type.String({ description: 'The external key of the deleted principal.' })),
  }),
  'user.registered': UserData,
  'user.password_reset': UserData,
  'user.invited': named(
    'UserInvitationData',
    strictObject({
      ...user,
      Invite: oneOf(['email', 'code'], { description: 'The way in which the user gets its code.' }),
    }),
  ),
  'user.updated': named('UserUpdateData', strictObject({ ...user, Changed })),
  'user.state_changed': named('UserStateData', strictObject({ ...user, State })),
  'user.moved': named(
    'UserMoveData',
    strictObject({
      ...user,
      FromIRID: nullable(
        Type.Integer({
          ...Id,
          description:
            'The ID of the principal that the user had before. Null if the caller is limited by tags and does not see it.',
        }),
      ),
      FromExternalKey: ExternalKey,
    }),
  ),
  'user.deleted': strictObject({ ...principal, UserID: Id }),
  'call.completed': strictObject({ RequestId: Text, Operation, ...figures }),
  'job.completed': strictObject({
    JobID: Uuid,
    Operation,
    State: oneOf(['completed', 'cancelled']),
    ...figures,
  }),
  'webhook.disabled': strictObject({ ...operator, WebhookID: Id, URL: Type.String() }),
};

function schemaName(type: EventType): string {
  return type.replaceAll(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase());
}

const events = eventTypes.map((type) =>
  named(
    schemaName(type),
    strictObject({
      specversion: Type.Literal('1.0'),
      id: Type.String({
        description: 'The ID of the event. Send it as `after` to continue after this event.',
      }),
      source: Type.String(),
      type: Type.Literal(type),
      subject: Type.Optional(Type.String()),
      time: Moment,
      datacontenttype: Type.Literal('application/json'),
      data: data[type],
    }),
  ),
);
const CloudEventSchema = named(
  'CloudEvent',
  Type.Union(events, { description: 'An event in the format CloudEvents 1.0. `type` determines `data`.' }),
);

const Feed = named(
  'Feed',
  strictObject({
    After: nullable(
      Type.String({
        description: 'Send it as `after` in the next request. Null if there are no events yet.',
      }),
    ),
    More: Type.Boolean({ description: 'True if the next request returns events immediately.' }),
  }),
);

const eventAnswers = answers('A list of events.', page('EventsEnvelope', CloudEventSchema, Feed));
