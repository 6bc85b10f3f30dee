import type { Code, DetailsArgument, ErrorDetail, Figures, Variant } from './error-codes.ts';

const listedPerRecord = 1000;
/** The maximum number of places that are listed for all records of a call; after that each record lists one. */
const listedPerCall = 20_000;
/** The place of the `MORE_ERRORS` entry, which counts the places of a record that are not listed. */
const wholeRecord = '$';

/** The field errors of one record, by place, such as `Users[0].Password`. The number of listed places is bounded. */
export class FieldErrors {
  #most: number;
  /** The number of places that are not listed. */
  #dropped = 0;
  #lastDropped: string | undefined;
  /** The number of places that `ErrorBudget` has already counted. */
  #counted = 0;
  /** Created on the first error: most records have none, and a call may have a hundred thousand records. */
  #byPlace: Map<string, ErrorDetail[]> | undefined;
  /** The first error with each code. It determines the code of the record without a search through all errors. */
  #firstOfKind: Map<Code, ErrorDetail> | undefined;
  #ofUsersAlone = true;

  constructor(most = listedPerRecord) {
    this.#most = most;
  }

  add<C extends Code>(place: string, code: C, ...[details]: DetailsArgument<C>): void {
    this.put(place, { code, ...details } as ErrorDetail);
  }

  addMissing(place: string): void {
    this.add(place, 'REQUIRED', { variant: 'field' });
  }

  put(place: string, error: ErrorDetail): void {
    this.#byPlace ??= new Map();
    const known = this.#byPlace.get(place);
    if (known) known.push(error);
    else if (!this.isFull || place === wholeRecord) this.#byPlace.set(place, [error]);
    else this.#drop(place);
    if (place === wholeRecord) return;
    this.#firstOfKind ??= new Map();
    if (!this.#firstOfKind.has(error.code)) this.#firstOfKind.set(error.code, error);
    if (!userPlace.test(place)) this.#ofUsersAlone = false;
  }

  /** True if errors at further places are counted but not listed. */
  get isFull(): boolean {
    return this.#listed >= this.#most;
  }

  get #listed(): number {
    return this.#byPlace?.size ?? 0;
  }

  /** Counts a place that is not listed. Several errors at one place follow each other, and count once. */
  #drop(place: string): void {
    if (place !== this.#lastDropped) this.#dropped++;
    this.#lastDropped = place;
  }

  /**
   * Lists at most `most` places more than after the previous call of this method, and at least one place in total.
   * Returns the number of places listed since then.
   */
  keepAtMost(most: number): number {
    this.#most = Math.min(this.#most, Math.max(this.#counted + most, 1));
    if (this.#listed > this.#most) this.#dropExcess();
    const more = this.#listed - this.#counted;
    this.#counted = this.#listed;
    return more;
  }

  #dropExcess(): void {
    const excess = [...(this.#byPlace?.keys() ?? [])].slice(this.#most);
    for (const place of excess) this.#byPlace?.delete(place);
    this.#dropped += excess.length;
  }

  get firstOfKind(): ReadonlyMap<Code, ErrorDetail> {
    return this.#firstOfKind ?? noKinds;
  }

  /** True if every error belongs to `Users`, and none to a field of the principal. */
  get onlyInUsers(): boolean {
    return this.#ofUsersAlone;
  }

  /** Returns true if errors at the place are listed. */
  has(place: string): boolean {
    return this.#byPlace?.has(place) ?? false;
  }

  /** The listed errors, followed by the number of places that are not listed, if there are any. */
  get byPlace(): ReadonlyMap<string, readonly ErrorDetail[]> {
    const listed = this.#byPlace ?? noErrors;
    if (this.#dropped === 0) return listed;
    return new Map([...listed, [wholeRecord, [{ code: 'MORE_ERRORS', figures: { count: this.#dropped } }]]]);
  }

  get none(): boolean {
    return this.#byPlace === undefined;
  }
}

/** Limits the errors that are kept for one call: two bytes of a body can cause an error of a hundred bytes. */
export class ErrorBudget {
  #left = listedPerCall;

  /** Creates the errors of a record, which list no more places than the call has left. */
  newFieldErrors(): FieldErrors {
    return new FieldErrors(Math.max(Math.min(this.#left, listedPerRecord), 1));
  }

  /** Drops the places beyond the limit of the call, and counts them in the `MORE_ERRORS` entry of the record. */
  limit(errors: FieldErrors): void {
    if (!errors.none) this.#left -= errors.keepAtMost(Math.max(this.#left, 0));
  }
}

const userPlace = /^Users\b/;
const noErrors: ReadonlyMap<string, readonly ErrorDetail[]> = new Map();
const noKinds: ReadonlyMap<Code, ErrorDetail> = new Map();

/**
 * Rejects a request as a whole. `http/status.ts` maps the code to the HTTP status. It is an answer and not a defect, so
 * it has no stack trace, which would be a large part of the cost of a refusal under overload; its cause has one.
 */
export class ApiError<C extends Code = Code> extends Error {
  readonly detail: ErrorDetail;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: C, ...[options]: DetailsArgument<C, { retryAfterSeconds?: number; cause?: unknown }>) {
    const { retryAfterSeconds, cause, ...details } = options ?? {};
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ApiError';
    this.detail = { code, ...details } as ErrorDetail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The error of a parameter of a call. The variant selects the sentence that describes the accepted values. */
export function wrongParameter(
  name: string,
  variant: Variant<'INVALID_PARAMETER'>,
  figures: Figures = {},
): ApiError {
  return new ApiError('INVALID_PARAMETER', { variant, figures: { name, ...figures } });
}

/** The mark is an own property of the error, so that it is kept when pg-boss copies the error. */
const outageMark = Symbol('part of an outage');

export function markOutage(error: object): void {
  Object.assign(error, { [outageMark]: true });
}

/** Returns true if the error or one of its causes was marked by `markOutage`, so that the caller need not log it. */
export function isPartOfOutage(error: unknown): boolean {
  for (let cause = error; typeof cause === 'object' && cause !== null; cause = causeOf(cause))
    if (outageMark in cause) return true;
  return false;
}

function causeOf(error: object): unknown {
  return (error as { cause?: unknown }).cause;
}
