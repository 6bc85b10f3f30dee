import type { Envelope, ErrorCode, Operations, Page } from './api.gen.ts';
import { ApiError, type Origin, UnexpectedAnswerError } from './errors.ts';
import type { OperationName } from './request.ts';
import { readRetryAfter } from './time.ts';

/** A response with a result. `status` may be 4xx or 5xx if records were not applied. */
export interface Answer<Name extends OperationName> {
  readonly status: number;
  readonly body: Operations[Name]['answer'];
  /** Seconds to wait before a retry, from the `Retry-After` header; null without a readable header. */
  readonly retryAfter: number | null;
  readonly headers: Headers;
  readonly requestId: string | null;
}

/** Operations that answer with a bare array of failed records, which can be sent again, instead of an envelope. */
const withoutEnvelope: readonly OperationName[] = ['failedRecords', 'failedRecordsOfCall'];

/**
 * @throws {ApiError} If the service rejected the call as a whole.
 * @throws {UnexpectedAnswerError} If the body is not an envelope with the status of the response.
 */
export async function readAnswer<Name extends OperationName>(
  operation: Name,
  response: Response,
  origin: Origin,
): Promise<Answer<Name>> {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const retryAfter = readRetryAfter(headers.get('retry-after'));
  const body = parseJson(await response.text());
  const answer = { status, body: body as Operations[Name]['answer'], retryAfter, headers, requestId };
  if (withoutEnvelope.includes(operation) && status === 200 && Array.isArray(body)) return answer;
  if (!isEnvelope(body) || body.statusCode !== status) {
    const message = `What answered with status ${status} is not Anagrafe.`;
    throw new UnexpectedAnswerError({ status, message, retryAfter }, origin);
  }
  if (body.result !== null) return answer;
  const { errorCode: code, message } = body;
  throw new ApiError({ code, status, message, retryAfter }, { ...origin, requestId });
}

type PageOf<Body> = Body extends Envelope<infer Item, infer About> ? Page<Item, About> : never;

/** Returns `result` of the envelope. Every operation has an envelope except those in `withoutEnvelope`. */
export function pageOf<Name extends OperationName>({
  body,
}: Answer<Name>): PageOf<Operations[Name]['answer']> {
  return (body as Envelope<unknown, unknown>).result as PageOf<Operations[Name]['answer']>;
}

/** Returns undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An envelope with a result, or the envelope of an `ApiError`, which always has a code and a message. */
type ReceivedEnvelope =
  | (Envelope<unknown, unknown> & { result: Page<unknown, unknown> })
  | { statusCode: number; errorCode: ErrorCode; message: string; result: null };

function isEnvelope(body: unknown): body is ReceivedEnvelope {
  if (typeof body !== 'object' || body === null || !('statusCode' in body) || !('result' in body))
    return false;
  const { errorCode, message, result } = body as Partial<ReceivedEnvelope>;
  if (result === null) return typeof errorCode === 'string' && typeof message === 'string';
  return typeof result === 'object' && Array.isArray(result.records);
}
