import { unavailable } from '../db/errors.ts';
import type { Debug, Envelope } from '../http/envelope.ts';
import { statusOf } from '../http/status.ts';
import { type Language, translate } from '../i18n/translate.ts';
import type { Code, ErrorDetail } from '../lib/error-codes.ts';
import type { Outcome } from '../records/outcome.ts';

/** Returns the envelope for the tuples of a call, with the status and error code that summarise the outcomes. */
export function outcomesEnvelope(
  outcomes: readonly Outcome[],
  options: { language: Language; estimate: unknown; request: string; debug: Debug | null },
): Envelope<never> {
  const { language, estimate, debug } = options;
  const total = outcomes.length;
  const result = { totalCount: total, totalPages: 1, page: 1, count: total, records: [], record: estimate };
  const variant = estimate === null ? 'done' : 'dry';
  const summary = summaryOf(outcomes, variant, options.request);
  if (summary === null) return { statusCode: 200, errorCode: null, message: null, result, debug };
  // If all records failed with the same code, that code is more specific than `NOTHING_APPLIED`.
  const shared = summary.code === 'NOTHING_APPLIED' ? commonCode(outcomes) : undefined;
  return {
    statusCode: statusOf(summary.code),
    errorCode: shared ?? summary.code,
    message: translate(summary, language),
    result,
    debug,
  };
}

/** Summarises the outcomes as one error; null if every record was applied. */
function summaryOf(
  outcomes: readonly Outcome[],
  variant: 'done' | 'dry',
  request: string,
): ErrorDetail | null {
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

/** Returns the 202 envelope of a call that was submitted as a job. */
export function jobEnvelope(
  job: unknown,
  figures: { id: string; location: string },
  language: Language,
  debug: Debug | null,
): Envelope<never> {
  const result = { totalCount: 0, totalPages: 0, page: 1, count: 0, records: [], record: job };
  const message = translate({ code: 'TAKEN_AS_JOB', figures }, language);
  return { statusCode: 202, errorCode: null, message, result, debug };
}
