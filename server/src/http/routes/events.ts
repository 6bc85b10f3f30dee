import type { FastifyInstance } from 'fastify';
import { type EventStore, readEvents } from '../../core/events/read.ts';
import { debugOf } from '../call.ts';
import { pageEnvelope } from '../envelope.ts';
import { pageOf, textOf } from '../query.ts';
import { eventAnswers } from '../schemas/events.ts';
import { CallHeaders, EventQuery } from '../schemas/requests.ts';

/** `events`: what happened, in order, for whoever would rather ask than be told. */
export function eventRoute(app: FastifyInstance, store: EventStore): void {
  app.get(
    '/events',
    {
      config: { scope: 'sync:read', query: ['order', 'after', 'pageSize'] },
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
      const { pageSize } = pageOf(request);
      const sent = { order: textOf(request, 'order'), after: textOf(request, 'after') };
      const { events, after, more } = await readEvents(sent, pageSize, store);
      const count = events.length;
      const record = { After: after, More: more };
      return pageEnvelope(
        { totalCount: count, count, page: 1, pageSize },
        [...events],
        debugOf(request),
        record,
      );
    },
  );
}
