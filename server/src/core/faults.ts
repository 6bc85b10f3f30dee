import type { Code, Fault, Figures } from './codes.ts';

/** What is wrong with one record, by place: `Users[0].Password`. */
export class Faults {
  /** Most records have none, and there may be a hundred thousand of them. */
  #byPlace: Map<string, Fault[]> | undefined;
  /** What the record as a whole is refused with, kept at hand: it would take long to find among the faults of many. */
  #firstOfKind: Map<Code, Fault> | undefined;
  #ofUsersAlone = true;

  add(place: string, code: Code, figures?: Figures, variant?: string): void {
    this.put(place, { code, ...(figures && { figures }), ...(variant && { variant }) });
  }

  put(place: string, fault: Fault): void {
    this.#byPlace ??= new Map();
    const known = this.#byPlace.get(place);
    if (known) known.push(fault);
    else this.#byPlace.set(place, [fault]);
    this.#firstOfKind ??= new Map();
    if (!this.#firstOfKind.has(fault.code)) this.#firstOfKind.set(fault.code, fault);
    if (!/^Users\b/.test(place)) this.#ofUsersAlone = false;
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
