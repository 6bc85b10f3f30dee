import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Code } from '../core/codes.ts';
import { isPartOfOutage, Refusal } from '../core/faults.ts';
import { debugOf, languageOf } from './call.ts';
import { refusalEnvelope } from './envelope.ts';
import { statusOf } from './status.ts';

/** Whatever goes wrong, the answer is the envelope, and nothing of the inside shows in it. */
export function answerFailures(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) =>
    sendRefusal(refusalOf(error as FastifyError, request), request, reply),
  );
  app.setNotFoundHandler((request, reply) => {
    const allow = allowedMethods(app, request.url);
    if (!allow) return sendRefusal(new Refusal('NOT_FOUND'), request, reply);
    reply.header('allow', allow);
    return sendRefusal(new Refusal('METHOD_NOT_ALLOWED', { figures: { allow } }), request, reply);
  });
}

export function sendRefusal(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { fault, retryAfterSeconds } = refusal;
  const language = languageOf(request);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  if (fault.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer realm="anagrafe"');
  // The rest of a body that was not read to its end cannot be told from the next request.
  if (!request.raw.complete) reply.header('connection', 'close');
  const envelope = refusalEnvelope(fault, language, debugOf(request));
  return reply
    .code(envelope.statusCode)
    .header('content-language', language)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelope));
}

function refusalOf(error: FastifyError, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) {
    if (statusOf(error.fault.code) >= 500 && !isPartOfOutage(error))
      request.log.warn({ code: error.fault.code, cause: reasonOf(error.cause) }, 'call refused');
    return error;
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('UNSUPPORTED_MEDIA_TYPE');
  if (error.statusCode !== undefined && error.statusCode < 500) return new Refusal('INVALID_REQUEST');
  request.log.error({ err: error }, 'call failed');
  return new Refusal('INTERNAL', { figures: { request: request.id } });
}

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The methods that a path takes, where it takes any. */
function allowedMethods(app: FastifyInstance, url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return methods.filter((method) => app.findRoute({ method, url: path }) !== null).join(', ');
}

const drainMs = 2000;

const brokenRequests: Record<string, Code> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
};

/** What cannot even be read as HTTP is answered on the bare socket. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // The rest of the same broken request; its answer is on the way.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const envelope = refusalEnvelope(
    { code: brokenRequests[error.code ?? ''] ?? 'INVALID_REQUEST' },
    'en',
    null,
  );
  const body = JSON.stringify(envelope);
  const head = [
    `HTTP/1.1 ${envelope.statusCode} ${STATUS_CODES[envelope.statusCode]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // What still comes is read and dropped for a moment: a reset would reach the sender before the answer does.
  socket.resume();
  setTimeout(() => socket.destroy(), drainMs).unref();
}
