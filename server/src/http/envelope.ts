import type { Code, Fault } from '../core/codes.ts';
import { type Language, say } from '../core/language/say.ts';
import type { Outcome } from '../core/records/outcome.ts';
import { unavailable } from '../core/records/writing.ts';
import { statusOf } from './status.ts';

export interface Debug {
  RequestTime: string;
  ResponseTime: string;
  /** In milliseconds. */
  Duration: number;
  ClientIP: string;
  RequestId: string;
}

export interface Result<Item> {
  totalCount: number;
  totalPages: number;
  page: number;
  count: number;
  records: Item[];
  record: unknown;
}

/** The one form of every answer. The order of the fields is part of it. */
export interface Envelope<Item = unknown> {
  statusCode: number;
  errorCode: Code | null;
  message: string | null;
  result: Result<Item> | null;
  debug: Debug | null;
}

export function refusalEnvelope(fault: Fault, language: Language, debug: Debug | null): Envelope<never> {
  return {
    statusCode: statusOf(fault.code),
    errorCode: fault.code,
    message: say(fault, language),
    result: null,
    debug,
  };
}

/** What stands around the tuples of a call, and the status that sums them up. */
export function outcomesEnvelope(
  outcomes: readonly Outcome[],
  options: { language: Language; estimate: unknown; request: string; debug: Debug | null },
): Envelope<never> {
  const { language, estimate, debug } = options;
  const total = outcomes.length;
  const result = { totalCount: total, totalPages: 1, page: 1, count: total, records: [], record: estimate };
  const variant = estimate === null ? 'done' : 'dry';
  const fault = summaryOf(outcomes, variant, options.request);
  if (fault === null) return { statusCode: 200, errorCode: null, message: null, result, debug };
  // Where no record was applied for a reason of the records' own, the code that they share says more.
  const shared = fault.code === 'NOTHING_APPLIED' ? commonCode(outcomes) : undefined;
  return {
    statusCode: statusOf(fault.code),
    errorCode: shared ?? fault.code,
    message: say(fault, language),
    result,
    debug,
  };
}

/** What the outcomes come to: null when every record was applied. */
function summaryOf(outcomes: readonly Outcome[], variant: 'done' | 'dry', request: string): Fault | null {
  const codes = new Set(outcomes.map((outcome) => outcome.refusal?.code ?? null));
  const total = outcomes.length;
  const applied = outcomes.filter((outcome) => outcome.refusal === null).length;
  if (applied === total) return null;
  if (applied > 0) return { code: 'PARTIALLY_APPLIED', variant, figures: { applied, total } };
  if (codes.has('OUTCOME_UNKNOWN')) return { code: 'OUTCOME_UNKNOWN' };
  if (codes.has('NOT_APPLIED')) return unavailable().fault;
  if (codes.has('RECORD_FAILED')) return { code: 'INTERNAL', figures: { request } };
  return { code: 'NOTHING_APPLIED', variant };
}

function commonCode(outcomes: readonly Outcome[]): Code | undefined {
  const codes = new Set(outcomes.map((outcome) => outcome.refusal?.code));
  return codes.size === 1 ? [...codes][0] : undefined;
}

/** The call was taken as a job. */
export function takenEnvelope(
  job: unknown,
  figures: { id: string; location: string },
  language: Language,
  debug: Debug | null,
): Envelope<never> {
  const result = { totalCount: 0, totalPages: 0, page: 1, count: 0, records: [], record: job };
  const message = say({ code: 'TAKEN_AS_JOB', figures }, language);
  return { statusCode: 202, errorCode: null, message, result, debug };
}

/** A page of what is stored, and the one thing that it belongs to, where there is one. */
export function pageEnvelope<Item>(
  page: { totalCount: number; count: number; page: number; pageSize: number },
  records: Item[],
  debug: Debug | null,
  record: unknown = null,
): Envelope<Item> {
  const { totalCount, count, pageSize } = page;
  const totalPages = Math.ceil(totalCount / pageSize);
  const result = { totalCount, totalPages, page: page.page, count, records, record };
  return { statusCode: 200, errorCode: null, message: null, result, debug };
}

/** The one thing that an answer is about, where nothing is listed. */
export function recordEnvelope(record: unknown, debug: Debug | null): Envelope<never> {
  return pageEnvelope({ totalCount: 0, count: 0, page: 1, pageSize: 1 }, [], debug, record);
}
