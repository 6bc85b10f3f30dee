import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { type Debug, type Envelope, emptyResult } from './envelope.ts';
import { debugOf } from './request-context.ts';

/** Minimum length in characters of a piece that is written to the response; the last piece may be shorter. */
const pieceLength = 65_536;
/** The JSON of one item, in any number of pieces. */
type ItemText = Iterable<string> | AsyncIterable<string>;

/**
 * Streams an envelope with many items: the items are never in memory together, and serialization yields to the event
 * loop. The debug part is made at the end, when the duration is known.
 */
export async function sendEnvelope(
  reply: FastifyReply,
  envelope: Omit<Envelope<never>, 'debug'>,
  items: AsyncIterable<ItemText>,
): Promise<FastifyReply> {
  return sendText(
    reply,
    envelopeText(envelope, await prefetchFirst(items), () => debugOf(reply.request)),
  );
}

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
  { statusCode, errorCode, message, result }: Omit<Envelope<never>, 'debug'>,
  items: AsyncIterable<ItemText>,
  debug: () => Debug | null,
): AsyncGenerator<string> {
  const { records: _, record, ...counts } = result ?? emptyResult;
  yield `${openObject({ statusCode, errorCode, message })},"result":${openObject(counts)},"records":[`;
  yield* itemsText(items);
  yield `],"record":${JSON.stringify(record)}},"debug":${JSON.stringify(debug())}}`;
}

/** Serialises an object without its closing brace, so that more members can follow. */
function openObject(members: object): string {
  return JSON.stringify(members).slice(0, -1);
}

async function* itemsText(items: AsyncIterable<ItemText>): AsyncGenerator<string> {
  const timeSlice = new TimeSlice();
  let piece = '';
  let separator = '';
  for await (const item of items) {
    piece += separator;
    separator = ',';
    for await (const text of item) {
      piece += text;
      if (timeSlice.isOver) await timeSlice.yield();
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
