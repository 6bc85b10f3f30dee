import type { FairQueue, Lane, QueuedTask } from './fair-queue.ts';
import type { InteractiveCalls } from './interactive-calls.ts';

export interface HashBatch {
  hash(password: string): Promise<string>;
}

/** The number of passwords of a call, and their lane. */
export interface Demand {
  readonly lane: Lane;
  readonly count: number;
}

/**
 * The places of a call in the queue, which it has from its admission on. Other calls are admitted as if its passwords
 * were queued, although it still has to read the database: otherwise all calls that arrive meanwhile would be admitted
 * to the same place, and most of them refused after that work.
 */
export interface HashReservation extends HashBatch {
  /**
   * Sets the number of passwords that are not hashed yet. Throws the `ApiError` `OVERLOADED`, and gives up all places,
   * if there are more than before and they would wait too long. Fewer are never refused.
   */
  admit(demand: Demand): void;
  /** Gives up the places of passwords that were not hashed. The call must do this when it ends, however it ends. */
  release(): void;
}

export interface ReservationTools {
  readonly lanes: Pick<FairQueue<never>, 'reserve'>;
  /** Throws the `ApiError` `OVERLOADED` if new tasks would wait too long, in addition to the time that their call has waited since `since`. */
  refuseLongWait(lane: Lane, tasks: QueuedTask, since: number | undefined): void;
  hash(password: string, lane: Lane, share: string): Promise<string>;
  readonly interactiveCalls: InteractiveCalls;
  /** When the call began to wait. */
  readonly since: number | undefined;
}

/** Returns a reservation without places. */
export function newReservation(share: string, tools: ReservationTools): HashReservation {
  let held: Demand = { lane: 'bulk', count: 0 };
  let isInteractive = false;
  function hold(demand: Demand): void {
    if (held.count > 0) tools.lanes.reserve(held.lane, { share, weight: -held.count });
    if (demand.count > 0) tools.lanes.reserve(demand.lane, { share, weight: demand.count });
    held = demand;
  }
  function release(): void {
    hold({ ...held, count: 0 });
    if (isInteractive) tools.interactiveCalls.end();
    isInteractive = false;
  }
  return {
    admit(demand) {
      const isCovered = demand.count <= held.count;
      if (!isCovered) {
        release();
        tools.refuseLongWait(demand.lane, { share, weight: demand.count }, tools.since);
      }
      hold(demand);
      if (isInteractive || demand.lane === 'bulk') return;
      isInteractive = true;
      tools.interactiveCalls.begin();
    },
    release,
    hash(password) {
      hold({ ...held, count: Math.max(held.count - 1, 0) });
      return tools.hash(password, held.lane, share);
    },
  };
}
