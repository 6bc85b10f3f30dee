import { unavailable } from '../db/errors.ts';
import { type Debug, type Envelope, emptyResult } from '../http/envelope.ts';
import { statusOf } from '../http/status.ts';
import { type Language, translate } from '../i18n/translate.ts';
import type { Code, ErrorDetail } from '../lib/error-codes.ts';
import type { Outcome } from '../records/outcome.ts';

/** Returns the envelope for the tuples of a call, with the status and error code that summarise the outcomes. */
export function outcomesEnvelope(
  outcomes: readonly Outcome[],
  { language, estimate, requestId }: { language: Language; estimate: unknown; requestId: string },
): Envelope<never> {
  const total = outcomes.length;
  const result = { ...emptyResult, totalCount: total, totalPages: 1, count: total, record: estimate };
  const failed = outcomes.map(({ error }) => error?.code).filter((code) => code !== undefined);
  const applied = total - failed.length;
  if (applied === total) return { statusCode: 200, errorCode: null, message: null, result, debug: null };
  const codes = new Set(failed);
  const error = errorOf(codes, { applied, total, variant: estimate === null ? 'done' : 'dry', requestId });
  // If all records failed with the same code, that code is more specific.
  const [only] = codes;
  const errorCode = error.code === 'NOTHING_APPLIED' && codes.size === 1 && only ? only : error.code;
  const message = translate(error, language);
  return { statusCode: statusOf(error.code), errorCode, message, result, debug: null };
}

/** Summarises the codes of the failed records as one error. */
function errorOf(
  codes: ReadonlySet<Code>,
  call: { applied: number; total: number; variant: 'done' | 'dry'; requestId: string },
): ErrorDetail {
  const { applied, total, variant, requestId } = call;
  if (applied > 0) return { code: 'PARTIALLY_APPLIED', variant, figures: { applied, total } };
  if (codes.has('OUTCOME_UNKNOWN')) return { code: 'OUTCOME_UNKNOWN' };
  if (codes.has('NOT_APPLIED')) return unavailable().detail;
  if (codes.has('RECORD_FAILED')) return { code: 'INTERNAL', figures: { request: requestId } };
  return { code: 'NOTHING_APPLIED', variant };
}

/** Returns the 202 envelope of a call that was submitted as a job. */
export function jobEnvelope(
  job: unknown,
  figures: { id: string; location: string },
  language: Language,
  debug: Debug | null,
): Envelope<never> {
  const message = translate({ code: 'TAKEN_AS_JOB', figures }, language);
  return { statusCode: 202, errorCode: null, message, result: { ...emptyResult, record: job }, debug };
}
