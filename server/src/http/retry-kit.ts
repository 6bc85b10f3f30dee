import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FailedRecord } from '../core/jobs/retry-kit.ts';
import type { Journal } from '../core/journal/journal.ts';
import type { Language } from '../core/language/say.ts';
import { authorOf } from './access.ts';
import { languageOf } from './call.ts';
import { sendArray } from './stream.ts';
import { faultsByPlace } from './tuple.ts';

/** The failed records of a call or a job; that they were read is written down first. */
export async function sendRetryKit(
  callId: string,
  store: { failed(id: string): AsyncIterable<FailedRecord> },
  journal: Journal,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await journal.note(authorOf(request), { action: 'records.read', callId, details: { call: 'failed' } });
  const language = languageOf(request);
  reply.header('content-language', language);
  return sendArray(reply, retryItems(store.failed(callId), language));
}

async function* retryItems(failed: AsyncIterable<FailedRecord>, language: Language) {
  for await (const { position: Position, record, refusal, faults } of failed) {
    const byPlace = faultsByPlace(faults, language);
    const Faults =
      Object.keys(byPlace).length > 0 ? byPlace : faultsByPlace(new Map([['Record', [refusal]]]), language);
    const fields = record?.slice(1, -1) ?? '';
    yield ['{', fields, fields === '' ? '' : ',', JSON.stringify({ Position, Faults }).slice(1)];
  }
}
