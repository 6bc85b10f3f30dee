import { type UnavailableReason, unavailable } from '../db/errors.ts';
import { type Debug, type Envelope, emptyResult, type Result } from '../http/envelope.ts';
import { statusOf } from '../http/status.ts';
import type { Code, ErrorDetail } from '../lib/error-codes.ts';
import { type Language, translate } from '../lib/translate.ts';
import { countFields } from '../records/read/plan.schemas.ts';
import { positionsOf } from '../records/read/tuple.ts';
import type { Outcome } from '../records/write/outcome.ts';
import type { Estimate, WriteResult } from './write-call.ts';

interface OutcomesEnvelopeOptions {
  readonly language: Language;
  /** The estimate of a dry run, or the counts of an upsert. */
  readonly record: unknown;
  readonly isDry: boolean;
  /** The figures of a page, if the answer does not contain all tuples. */
  readonly page: Pick<Result<never>, 'totalCount' | 'totalPages' | 'page' | 'count'> | null;
  readonly requestId: string;
}

/** Returns the envelope for the tuples of a call, with the status and error code that summarise the outcomes. */
export function outcomesEnvelope(
  outcomes: readonly Outcome[],
  { language, record, isDry, page, requestId }: OutcomesEnvelopeOptions,
): Envelope<never> {
  const total = outcomes.length;
  const result = page
    ? { ...emptyResult, ...page, record }
    : { ...emptyResult, totalCount: total, totalPages: 1, count: total, record };
  const failed = outcomes.map(({ error }) => error).filter((error) => error !== null);
  const applied = total - failed.length;
  if (applied === total) return { statusCode: 200, errorCode: null, message: null, result, debug: null };
  const codes = new Set(failed.map(({ code }) => code));
  const error = errorOf(failed, { applied, total, variant: isDry ? 'dry' : 'done', requestId });
  // If all records failed with the same code, that code is more specific.
  const [only] = codes;
  const errorCode = error.code === 'NOTHING_APPLIED' && codes.size === 1 && only ? only : error.code;
  const message = translate(error, language);
  return { statusCode: statusOf(error.code), errorCode, message, result, debug: null };
}

/** Summarises the errors of the failed records as one error. */
function errorOf(
  failed: readonly ErrorDetail[],
  call: { applied: number; total: number; variant: 'done' | 'dry'; requestId: string },
): ErrorDetail {
  const { applied, total, variant, requestId } = call;
  if (applied > 0) return { code: 'PARTIALLY_APPLIED', variant, figures: { applied, total } };
  const has = (wanted: Code) => failed.some(({ code }) => code === wanted);
  if (has('OUTCOME_UNKNOWN')) return { code: 'OUTCOME_UNKNOWN' };
  if (has('NOT_APPLIED')) return unavailable(undefined, notAppliedReason(failed)).detail;
  if (has('RECORD_FAILED')) return { code: 'INTERNAL', figures: { request: requestId } };
  return { code: 'NOTHING_APPLIED', variant };
}

function notAppliedReason(failed: readonly ErrorDetail[]): UnavailableReason {
  const reasons = failed.filter(({ code }) => code === 'NOT_APPLIED').map(({ variant }) => variant);
  return reasons.includes('database') || !reasons.includes('conflict') ? 'database' : 'conflict';
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

/** Returns `result.record`, the tuples to send, and the figures of their page if they are not all tuples. */
export function contentOf(result: Exclude<WriteResult, { kind: 'job' }>) {
  const { outcomes } = result;
  if (result.kind === 'outcomes') {
    const record = result.counts && countFields(result.counts);
    return { record, page: null, shown: outcomes, hasUsers: true };
  }
  const { estimate, selected } = result;
  const record = estimateFields(estimate);
  const hasUsers = estimate.planned !== null;
  if (!selected) return { record, page: null, shown: outcomes, hasUsers };
  const { totalCount, page, pageSize } = selected;
  const totalPages = Math.ceil(totalCount / (pageSize ?? Math.max(totalCount, 1)));
  const figures = { totalCount, totalPages, page, count: selected.outcomes.length };
  const withPositions = { ...record, Positions: positionsOf(selected.outcomes) };
  return { record: withPositions, page: figures, shown: selected.outcomes, hasUsers };
}

function estimateFields({ register, reset, invite, recordsFailed, seconds, planned }: Estimate) {
  const figures = { RecordsFailed: recordsFailed, EstimatedSeconds: Math.ceil(seconds * 10) / 10 };
  if (planned) return { ...countFields(planned.counts), ...figures, Plan: planned.plan };
  return { Register: register, Reset: reset, ...(invite !== null && { Invite: invite }), ...figures };
}
