/** The work that a new call would wait for. Weights are in hashes of this service. */
export interface WorkAhead {
  /** The weight in the queue that is served before the call. */
  readonly queued: number;
  /** The weight that is being hashed in threads that the call waits for, however much of it is already done. */
  readonly running: number;
  /** The weight of the call itself. */
  readonly own: number;
  /** The number of threads that serve the call. */
  readonly threads: number;
  /** The mean time for which a hash occupies a thread under the present load. */
  readonly hashSeconds: number;
}

/**
 * The part of the longest wait that may pass until the passwords are hashed. The rest is for what the estimate does not
 * contain: the checks after the admission and the write.
 */
const hashingPart = 0.9;

/** Estimates the seconds until the call is hashed: the work before it on all threads, then its own work on one thread. */
export function secondsUntilHashed({ queued, running, own, threads, hashSeconds }: WorkAhead): number {
  return ((queued + running) / threads + own) * hashSeconds;
}

/**
 * Returns true if the call, which has already waited for `waitedSeconds`, would end after the limit. A call with nothing
 * queued before it is never too late: on a machine where a single hash takes longer than the limit, every call would be
 * refused.
 */
export function isTooLate(work: WorkAhead, limitSeconds: number, waitedSeconds = 0): boolean {
  return work.queued > 0 && waitedSeconds + secondsUntilHashed(work) > limitSeconds * hashingPart;
}

/** The weight of the newest duration in the exponential moving average. */
const smoothing = 0.05;

/** The exponential moving average of durations, which follows the load within some tens of hashes. */
export class MeanDuration {
  seconds: number;

  constructor(initialSeconds: number) {
    this.seconds = initialSeconds;
  }

  note(seconds: number): void {
    this.seconds += (seconds - this.seconds) * smoothing;
  }
}
