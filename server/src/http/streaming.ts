import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { type Envelope, emptyResult } from './envelope.ts';
import { debugOf } from './request-context.ts';

/** Minimum length in characters of a piece that is written to the response; the last piece may be shorter. */
const pieceLength = 65_536;
/** The JSON of one item, in any number of pieces. */
type ItemText = Iterable<string> | AsyncIterable<string>;

/**
 * Streams an envelope with many items: the items are never in memory together, and serialization yields to the event
 * loop. The debug part is made at the end, when the duration is known.
 */
export function sendEnvelope(
  reply: FastifyReply,
  { statusCode, errorCode, message, result }: Omit<Envelope<never>, 'debug'>,
  items: AsyncIterable<ItemText>,
): Promise<FastifyReply> {
  const { records: _, record, ...counts } = result ?? emptyResult;
  const start = `${openObject({ statusCode, errorCode, message })},"result":${openObject(counts)},"records":[`;
  const end = () =>
    `],"record":${JSON.stringify(record)}},"debug":${JSON.stringify(debugOf(reply.request, errorCode))}}`;
  return sendItems(reply, start, items, end);
}

export function sendArray(reply: FastifyReply, items: AsyncIterable<ItemText>): Promise<FastifyReply> {
  return sendItems(reply, '[', items, () => ']');
}

/** Serialises an object without its closing brace, so that more members can follow. */
function openObject(members: object): string {
  return JSON.stringify(members).slice(0, -1);
}

async function sendItems(
  reply: FastifyReply,
  start: string,
  items: AsyncIterable<ItemText>,
  end: () => string,
): Promise<FastifyReply> {
  const iterator = items[Symbol.asyncIterator]();
  // The first item is read before the response headers are sent, so that a database error still gets its own status.
  const first = await iterator.next();
  reply.type('application/json; charset=utf-8');
  return reply.send(Readable.from(pieces(), { objectMode: false }));

  async function* pieces(): AsyncGenerator<string> {
    const timeSlice = new TimeSlice();
    yield start;
    let piece = '';
    let separator = '';
    for (let item = first; !item.done; item = await iterator.next()) {
      piece += separator;
      separator = ',';
      for await (const text of item.value) {
        piece += text;
        if (timeSlice.isOver) await timeSlice.yield();
        if (piece.length < pieceLength) continue;
        yield piece;
        piece = '';
      }
    }
    yield piece + end();
  }
}
