import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { Envelope } from './envelope.ts';

/** Minimum length in characters of a piece that is written to the response; the last piece may be shorter. */
const pieceLength = 65_536;
/** The JSON of one item, in any number of pieces. */
type ItemText = Iterable<string>;

const recordsStart = '"records":[';

/**
 * Streams an envelope with many items: the items are never in memory together, and serialization yields to the event
 * loop. `envelope` is called again at the end, when its debug part is known.
 */
export async function sendEnvelope(
  reply: FastifyReply,
  envelope: () => Envelope<never>,
  items: AsyncIterable<ItemText>,
): Promise<FastifyReply> {
  return sendText(reply, envelopeText(envelope, await prefetchFirst(items)));
}

/** Streams items as an array without an envelope. */
export async function sendArray(reply: FastifyReply, items: AsyncIterable<ItemText>): Promise<FastifyReply> {
  return sendText(reply, arrayText(await prefetchFirst(items)));
}

/** Reads the first item before the response headers are sent, so that a database error still gets its own status. */
async function prefetchFirst(items: AsyncIterable<ItemText>): Promise<AsyncIterable<ItemText>> {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    for (let item = first; !item.done; item = await iterator.next()) yield item.value;
  })();
}

function sendText(reply: FastifyReply, pieces: AsyncGenerator<string>): FastifyReply {
  reply.type('application/json; charset=utf-8');
  return reply.send(Readable.from(pieces, { objectMode: false }));
}

async function* arrayText(items: AsyncIterable<ItemText>): AsyncGenerator<string> {
  yield '[';
  yield* itemsText(items);
  yield ']';
}

async function* envelopeText(
  envelope: () => Envelope<never>,
  items: AsyncIterable<ItemText>,
): AsyncGenerator<string> {
  yield JSON.stringify(envelope()).split(recordsStart, 1)[0] + recordsStart;
  yield* itemsText(items);
  yield JSON.stringify(envelope()).split(recordsStart)[1] ?? '';
}

async function* itemsText(items: AsyncIterable<ItemText>): AsyncGenerator<string> {
  const timeSlice = new TimeSlice();
  let piece = '';
  let separator = '';
  for await (const item of items) {
    piece += separator;
    separator = ',';
    for (const text of item) {
      piece += text;
      if (timeSlice.isOver) await timeSlice.yield();
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
