import type { Code, Fault } from '../core/codes.ts';
import { type Language, say } from '../core/language/say.ts';
import type { Outcome } from '../core/records/outcome.ts';
import { statusOf } from './status.ts';
import { type Tuple, tupleOf } from './tuple.ts';

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

/** One tuple per record, and the status that sums them up. */
export function outcomesEnvelope(
  outcomes: readonly Outcome[],
  options: { language: Language; representation: boolean; debug: Debug | null },
): Envelope<Tuple> {
  const { language, debug } = options;
  const total = outcomes.length;
  const applied = outcomes.filter((outcome) => outcome.refusal === null).length;
  const records = outcomes.map((outcome) => tupleOf(outcome, language, options.representation));
  const result = { totalCount: total, totalPages: 1, page: 1, count: total, records, record: null };
  if (applied === total) return { statusCode: 200, errorCode: null, message: null, result, debug };
  const fault: Fault =
    applied > 0 ? { code: 'PARTIALLY_APPLIED', figures: { applied, total } } : { code: 'NOTHING_APPLIED' };
  return {
    statusCode: statusOf(fault.code),
    errorCode: applied > 0 ? fault.code : (commonCode(outcomes) ?? fault.code),
    message: say(fault, language),
    result,
    debug,
  };
}

function commonCode(outcomes: readonly Outcome[]): Code | undefined {
  const codes = new Set(outcomes.map((outcome) => outcome.refusal?.code));
  return codes.size === 1 ? [...codes][0] : undefined;
}

export function pageFigures(
  totalCount: number,
  page: number,
  pageSize: number,
): Omit<Result<never>, 'count' | 'records' | 'record'> {
  return { totalCount, totalPages: Math.ceil(totalCount / pageSize), page };
}
