import { type TSchema, Type } from 'typebox';
import { type EventType, eventTypes } from '../../core/events/event.ts';
import { answer, Count, Moment, page, refusals, Text } from './answers.ts';
import { Id, named, nullable, Operation, State, strictObject } from './named.ts';

export const EventTypeName = named('EventType', Type.String({ enum: [...eventTypes] }));

const user = { IRID: Id, UserID: Id, Username: Text, Email: Text };
const UserData = named('UserData', strictObject(user));
const figures = { Records: Count, RecordsFailed: Count, Users: Count, UsersApplied: Count };

/** What `data` holds, by the type of the event. */
const data: Readonly<Record<EventType, TSchema>> = {
  'principal.inserted': strictObject({ IRID: Id }),
  'principal.state_changed': strictObject({ IRID: Id, State }),
  'user.registered': UserData,
  'user.password_reset': UserData,
  'user.state_changed': named('UserStateData', strictObject({ ...user, State })),
  'call.completed': strictObject({ RequestId: Text, Operation, ...figures }),
  'job.completed': strictObject({
    JobID: Type.String({ format: 'uuid' }),
    Operation,
    State: Type.String({ enum: ['completed', 'cancelled'] }),
    ...figures,
  }),
  'webhook.disabled': strictObject({ WebhookID: Id, URL: Type.String() }),
};

/** `user.password_reset` has the schema `UserPasswordReset`. */
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

export const eventAnswers = {
  200: answer('Events, in order', page('EventsEnvelope', CloudEvent, Feed)),
  ...refusals,
};
