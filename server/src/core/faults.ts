import type { Code, Fault, Figures } from './codes.ts';

/** What is wrong with one record, by place: `Users[0].Password`. */
export class Faults {
  readonly byPlace = new Map<string, Fault[]>();

  add(place: string, code: Code, figures?: Figures, variant?: string): void {
    const fault: Fault = { code, ...(figures && { figures }), ...(variant && { variant }) };
    const known = this.byPlace.get(place);
    if (known) known.push(fault);
    else this.byPlace.set(place, [fault]);
  }

  get none(): boolean {
    return this.byPlace.size === 0;
  }
}

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
