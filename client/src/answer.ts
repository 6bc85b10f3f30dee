import type { Envelope, ErrorCode, Operations, Page } from './api.gen.ts';
import { ApiError, type Origin, UnexpectedAnswerError } from './errors.ts';
import type { OperationName } from './request.ts';
import { readRetryAfter } from './time.ts';

/** What came back, with something in it. */
export interface Answer<Name extends OperationName> {
  readonly status: number;
  readonly body: Operations[Name]['answer'];
  /** In how many seconds to come back, where the answer says so. */
  readonly retryAfter: number | null;
  readonly headers: Headers;
  readonly requestId: string | null;
}

/** A retry kit is a list as it can be sent again. */
const withoutEnvelope: readonly OperationName[] = ['failedRecords', 'failedRecordsOfCall'];

/** @throws {ApiError} The call was refused as a whole. @throws {UnexpectedAnswerError} The service did not answer this. */
export async function readAnswer<Name extends OperationName>(
  operation: Name,
  response: Response,
  origin: Origin,
): Promise<Answer<Name>> {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const retryAfter = readRetryAfter(headers.get('retry-after'));
  const body = parsed(await response.text());
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

/** What every answer but a retry kit has in its envelope. */
export function pageOf<Name extends OperationName>({
  body,
}: Answer<Name>): PageOf<Operations[Name]['answer']> {
  return (body as Envelope<unknown, unknown>).result as PageOf<Operations[Name]['answer']>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An answer, or a refusal, which says why in a code and in a sentence. */
type Received =
  | (Envelope<unknown, unknown> & { result: Page<unknown, unknown> })
  | { statusCode: number; errorCode: ErrorCode; message: string; result: null };

function isEnvelope(body: unknown): body is Received {
  if (typeof body !== 'object' || body === null || !('statusCode' in body) || !('result' in body))
    return false;
  const { errorCode, message, result } = body as Partial<Received>;
  if (result === null) return typeof errorCode === 'string' && typeof message === 'string';
  return typeof result === 'object' && Array.isArray(result.records);
}
