import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Turns } from '../core/turns.ts';
import type { Envelope } from './envelope.ts';

/** So much text is handed on at a time. */
const pieceLength = 65_536;
/** The JSON of one item, in as many pieces as it takes. */
type ItemText = Iterable<string>;

const start = '"records":[';

/**
 * Sends an envelope with many items piece by piece: they never stand in memory together,
 * and the event loop is not held while they are written. The envelope is asked for again at the end, when its debug
 * part is known.
 */
export async function sendEnvelope(
  reply: FastifyReply,
  envelope: () => Envelope<never>,
  items: AsyncIterable<ItemText>,
): Promise<FastifyReply> {
  return sendText(reply, envelopeText(envelope, await begun(items)));
}

/** Sends items as a bare array. */
export async function sendArray(reply: FastifyReply, items: AsyncIterable<ItemText>): Promise<FastifyReply> {
  return sendText(reply, arrayText(await begun(items)));
}

/** The first item is asked for before the answer begins: a database that fails now is still answered as one. */
async function begun(items: AsyncIterable<ItemText>): Promise<AsyncIterable<ItemText>> {
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
  yield JSON.stringify(envelope()).split(start, 1)[0] + start;
  yield* itemsText(items);
  yield JSON.stringify(envelope()).split(start)[1] ?? '';
}

async function* itemsText(items: AsyncIterable<ItemText>): AsyncGenerator<string> {
  const turns = new Turns();
  let piece = '';
  let separator = '';
  for await (const item of items) {
    piece += separator;
    separator = ',';
    for (const text of item) {
      piece += text;
      if (turns.over) await turns.next();
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
