import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Code, CodeWithOneText } from '../lib/error-codes.ts';
import { ApiError, isPartOfOutage } from '../lib/field-errors.ts';
import { CountingLog } from './counting-log.ts';
import { errorEnvelope } from './envelope.ts';
import { debugOf, languageOf } from './request-context.ts';
import { statusOf } from './status.ts';

/** The properties of a rejected request by which rejections are counted. */
export interface Rejection {
  readonly code: Code;
  /** The method and the path of the route. */
  readonly route: string;
  /** The message of the error that caused the rejection. */
  readonly cause: string | undefined;
}

export const rejectionLines = {
  level: 'warn',
  first: 'request rejected',
  further: 'further requests rejected',
} as const;

/** Answers every error with the envelope. Internal details are logged and never sent. */
export function answerFailures(app: FastifyInstance): void {
  const rejections = new CountingLog<Rejection>(app.log, rejectionLines);
  app.addHook('onClose', async () => rejections.close());
  app.setErrorHandler((error, request, reply) =>
    sendApiError(toApiError(error as FastifyError, request, rejections), request, reply),
  );
  app.setNotFoundHandler((request, reply) => {
    const allow = allowedMethods(app, request.url);
    if (!allow) return sendApiError(new ApiError('NOT_FOUND'), request, reply);
    reply.header('allow', allow);
    return sendApiError(new ApiError('METHOD_NOT_ALLOWED', { figures: { allow } }), request, reply);
  });
}

function noteError(error: ApiError, request: FastifyRequest, rejections: CountingLog<Rejection>): void {
  const { code } = error.detail;
  if (statusOf(code) < 500 || isPartOfOutage(error)) return;
  const route = `${request.method} ${request.routeOptions.url ?? 'none'}`;
  const rejection = { code, route, cause: reasonOf(error.cause) };
  // Other errors, such as an unknown outcome, are rare, and each needs its request ID.
  if (code === 'OVERLOADED') rejections.note(rejection, request.log);
  else request.log.warn(rejection, 'request rejected');
}

export function sendApiError(error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { detail, retryAfterSeconds } = error;
  const language = languageOf(request);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  if (detail.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer realm="anagrafe"');
  // The server cannot distinguish the unread rest of a body from the next request on the connection.
  if (!request.raw.complete) reply.header('connection', 'close');
  const envelope = errorEnvelope(detail, language, debugOf(request, detail.code));
  return reply
    .code(envelope.statusCode)
    .header('content-language', language)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelope));
}

function toApiError(
  error: FastifyError,
  request: FastifyRequest,
  rejections: CountingLog<Rejection>,
): ApiError {
  if (error instanceof ApiError) {
    noteError(error, request, rejections);
    return error;
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError('UNSUPPORTED_MEDIA_TYPE');
  if (error.statusCode !== undefined && error.statusCode < 500) return new ApiError('INVALID_REQUEST');
  // The client has closed the connection. That is no fault of the service, and the call may have succeeded.
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE' && request.raw.socket.destroyed)
    return new ApiError('INTERNAL', { figures: { request: request.id } });
  request.log.error({ err: error }, 'request failed with an unexpected error');
  return new ApiError('INTERNAL', { figures: { request: request.id } });
}

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function allowedMethods(app: FastifyInstance, url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return methods.filter((method) => app.findRoute({ method, url: path }) !== null).join(', ');
}

const drainMs = 2000;

const brokenRequests: Record<string, CodeWithOneText> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
};

/** Answers a request that is not valid HTTP directly on the socket, because Fastify never receives it. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // Node reports a further error of the same request, which is already answered.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const envelope = errorEnvelope({ code: brokenRequests[error.code ?? ''] ?? 'INVALID_REQUEST' }, 'en', null);
  const body = JSON.stringify(envelope);
  const head = [
    `HTTP/1.1 ${envelope.statusCode} ${STATUS_CODES[envelope.statusCode]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Drains the socket before closing it, because a reset would reach the client before the answer.
  socket.resume();
  setTimeout(() => socket.destroy(), drainMs).unref();
}
