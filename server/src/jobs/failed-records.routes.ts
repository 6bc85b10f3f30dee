import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditLog } from '../audit/audit-log.ts';
import { actorOf } from '../clients/authentication.plugin.ts';
import { languageOf } from '../http/request-context.ts';
import { sendArray } from '../http/streaming.ts';
import type { Language } from '../lib/translate.ts';
import { fieldErrorsByPlace } from '../records/read/tuple.ts';
import type { FailedRecord } from '../records/write/failed-records.ts';

/** Streams the failed records of a call or job, after the audit log entry for the read is written. */
export async function sendFailedRecords(
  callId: string,
  store: { failed(id: string): AsyncIterable<FailedRecord> },
  auditLog: AuditLog,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await auditLog.note(actorOf(request), { action: 'records.read', callId, details: { call: 'failed' } });
  const language = languageOf(request);
  reply.header('content-language', language);
  return sendArray(reply, failedItems(store.failed(callId), language));
}

/** Adds `Position` and `FieldErrors` to the JSON text of each record without parsing it. */
async function* failedItems(failed: AsyncIterable<FailedRecord>, language: Language) {
  for await (const { position: Position, record, error, errors } of failed) {
    const byPlace = fieldErrorsByPlace(errors, language);
    const fieldErrors =
      Object.keys(byPlace).length > 0
        ? byPlace
        : fieldErrorsByPlace(new Map([['Record', [error]]]), language);
    const fields = record?.slice(1, -1) ?? '';
    yield [
      '{',
      fields,
      fields === '' ? '' : ',',
      JSON.stringify({ Position, FieldErrors: fieldErrors }).slice(1),
    ];
  }
}
