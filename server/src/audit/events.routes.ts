import { type TSchema, Type } from 'typebox';
import { answers, Count, Moment, page, Text } from '../http/answer-schemas.ts';
import { pageEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
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
  State,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { type EventStore, type EventType, eventTypes, isEventId, readEvents } from './events.ts';

/** Registers `GET /events`: the CloudEvents in order, for consumers that poll instead of using webhooks. */
export function eventRoute(app: Api, store: EventStore): void {
  app.get(
    '/events',
    {
      config: { scope: 'sync:read' },
      schema: {
        operationId: 'events',
        summary: 'What happened, in order',
        description:
          'CloudEvents 1.0. Whoever reads on from `result.record.After` misses nothing and gets nothing twice, whatever is written meanwhile. `order=newest` reads back from what happened last.',
        tags: ['events'],
        querystring: EventQuery,
        headers: CallHeaders,
        response: eventAnswers,
      },
    },
    async (request) => {
      const { order, after: from = null, pageSize } = request.query;
      const { events, after, more } = await readEvents({ order, after: from }, pageSize, store);
      const page = { totalCount: events.length, pageSize };
      return pageEnvelope(page, events, debugOf(request), { After: after, More: more });
    },
  );
}

const EventQuery = Type.Object({
  ...order,
  after: Type.Optional(
    Type.Refine(
      Type.String({
        description: 'the id of the event that was read last; without it, from the first one in the order',
      }),
      isEventId,
      () => 'after',
    ),
  ),
  pageSize: paging.pageSize,
  ...debug,
});

export const EventTypeName = named('EventType', oneOf(eventTypes));

const user = { IRID: Id, UserID: Id, Username: Text, Email: Text };
const UserData = named('UserData', strictObject(user));
const figures = { Records: Count, RecordsFailed: Count, Users: Count, UsersApplied: Count };

const data: Readonly<Record<EventType, TSchema>> = {
  'principal.inserted': strictObject({ IRID: Id }),
  'principal.state_changed': strictObject({ IRID: Id, State }),
  'user.registered': UserData,
  'user.password_reset': UserData,
  'user.state_changed': named('UserStateData', strictObject({ ...user, State })),
  'call.completed': strictObject({ RequestId: Text, Operation, ...figures }),
  'job.completed': strictObject({
    JobID: Uuid,
    Operation,
    State: oneOf(['completed', 'cancelled']),
    ...figures,
  }),
  'webhook.disabled': strictObject({ WebhookID: Id, URL: Type.String() }),
};

function schemaName(type: EventType): string {
  return type.replaceAll(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase());
}

const events = eventTypes.map((type) =>
  named(
    schemaName(type),
    strictObject({
      specversion: Type.Literal('1.0'),
      id: Type.String({ description: 'what to give as `after` to read on from here' }),
      source: Type.String(),
      type: Type.Literal(type),
      subject: Type.Optional(Type.String()),
      time: Moment,
      datacontenttype: Type.Literal('application/json'),
      data: data[type],
    }),
  ),
);
const CloudEvent = named(
  'CloudEvent',
  Type.Union(events, { description: 'CloudEvents 1.0: what happened, by `type`' }),
);

const Feed = named(
  'Feed',
  strictObject({
    After: nullable(Type.String({ description: 'what to give as `after` to read on' })),
    More: Type.Boolean({ description: 'whether there is more at once' }),
  }),
);

const eventAnswers = answers('Events, in order', page('EventsEnvelope', CloudEvent, Feed));
