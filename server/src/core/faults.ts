import type { Code, Fault, Figures } from './codes.ts';

/** The most fields with errors that are listed for one record. */
const listedPerRecord = 1000;
/** The most that are listed for all records of a call; after that each record lists one. */
const listedPerCall = 20_000;
/** The place of the entry that says how many more fields of a record have errors. */
const wholeRecord = '$';

/** The errors of one record, by place: `Users[0].Password`. The number of places that are kept is bounded. */
export class Faults {
  #most: number;
  /** The number of places that were not kept; undefined while there is none. */
  #dropped: { count: number } | undefined;
  #lastDropped: string | undefined;
  /** Places that were counted by `ErrorBudget`. */
  #counted = 0;
  /** Most records have none, and there may be a hundred thousand of them. */
  #byPlace: Map<string, Fault[]> | undefined;
  /** What the record as a whole is refused with, kept at hand: it would take long to find among the faults of many. */
  #firstOfKind: Map<Code, Fault> | undefined;
  #ofUsersAlone = true;

  constructor(most = listedPerRecord) {
    this.#most = most;
  }

  add(place: string, code: Code, figures?: Figures, variant?: string): void {
    // A hostile record has as many errors as fits into a body: those that are not listed are only counted.
    if (this.isFull && this.firstOfKind.has(code) && !this.#byPlace?.has(place)) this.#drop(place);
    else this.put(place, { code, ...(figures && { figures }), ...(variant && { variant }) });
  }

  put(place: string, fault: Fault): void {
    this.#byPlace ??= new Map();
    const known = this.#byPlace.get(place);
    if (known) known.push(fault);
    else if (!this.isFull || place === wholeRecord) this.#byPlace.set(place, [fault]);
    else this.#drop(place);
    if (place === wholeRecord) return;
    this.#firstOfKind ??= new Map();
    if (!this.#firstOfKind.has(fault.code)) this.#firstOfKind.set(fault.code, fault);
    if (!ofUsers.test(place)) this.#ofUsersAlone = false;
  }

  /** True if errors at further places are counted and not listed. */
  get isFull(): boolean {
    return this.#listed >= this.#most;
  }

  /** The places that are kept, without the entry for those that are not. */
  get #listed(): number {
    return (this.#byPlace?.size ?? 0) - (this.#dropped ? 1 : 0);
  }

  /** Counts a place that is not listed. Several errors at one place follow each other, and count once. */
  #drop(place: string): void {
    if (place !== this.#lastDropped) this.#countDropped(1);
    this.#lastDropped = place;
    if (!ofUsers.test(place)) this.#ofUsersAlone = false;
  }

  #countDropped(count: number): void {
    if (!this.#dropped) {
      this.#dropped = { count: 0 };
      this.#byPlace?.set(wholeRecord, [{ code: 'MORE_ERRORS', figures: this.#dropped }]);
    }
    this.#dropped.count += count;
  }

  /** Keeps at most `most` places more than at the last call, and at least one. Returns how many more it keeps. */
  keepAtMost(most: number): number {
    this.#most = Math.min(this.#most, Math.max(this.#counted + most, 1));
    if (this.#listed > this.#most) this.#dropExcess();
    const more = this.#listed - this.#counted;
    this.#counted = this.#listed;
    return more;
  }

  #dropExcess(): void {
    const excess = [...(this.#byPlace?.keys() ?? [])]
      .filter((place) => place !== wholeRecord)
      .slice(this.#most);
    for (const place of excess) this.#byPlace?.delete(place);
    this.#countDropped(excess.length);
  }

  get firstOfKind(): ReadonlyMap<Code, Fault> {
    return this.#firstOfKind ?? noKinds;
  }

  /** Whether the record itself has none. */
  get ofUsersAlone(): boolean {
    return this.#ofUsersAlone;
  }

  get byPlace(): ReadonlyMap<string, readonly Fault[]> {
    return this.#byPlace ?? noFaults;
  }

  get none(): boolean {
    return this.#byPlace === undefined;
  }
}

/** Bounds the errors that are kept for one call: with two bytes a caller could otherwise ask for a hundred. */
export class ErrorBudget {
  #left = listedPerCall;

  /** Starts the errors of a record that list no more than the call has room for. */
  newFaults(): Faults {
    return new Faults(Math.max(Math.min(this.#left, listedPerRecord), 1));
  }

  /** Drops what the call has no room for; the record then says how many errors it does not list. */
  limit(faults: Faults): void {
    if (!faults.none) this.#left -= faults.keepAtMost(Math.max(this.#left, 0));
  }
}

/** Matches the places of users: `Users`, `Users[0].Password`. */
const ofUsers = /^Users\b/;
const noFaults: ReadonlyMap<string, readonly Fault[]> = new Map();
const noKinds: ReadonlyMap<Code, Fault> = new Map();

/** A call that is refused as a whole. The HTTP layer gives it its status. */
export class Refusal extends Error {
  readonly fault: Fault;
  /** How long the caller should wait before the same call may succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: Code,
    details: { variant?: string; figures?: Figures; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(code, { cause: details.cause });
    this.name = 'Refusal';
    this.fault = {
      code,
      ...(details.variant && { variant: details.variant }),
      ...(details.figures && { figures: details.figures }),
    };
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Copies of an error, as pg-boss makes them, keep a property of its own. */
const part = Symbol('part of an outage');

/** Marks a failure that was counted as part of an outage of the database. */
export function markOutage(error: object): void {
  Object.assign(error, { [part]: true });
}

/** Returns true if a failure, or one of its causes, was counted as part of an outage, so that it needs no line in the log. */
export function isPartOfOutage(error: unknown): boolean {
  for (let cause = error; typeof cause === 'object' && cause !== null; cause = causeOf(cause))
    if (part in cause) return true;
  return false;
}

function causeOf(error: object): unknown {
  return (error as { cause?: unknown }).cause;
}
