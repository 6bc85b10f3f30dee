import type { RowFault } from './row-fault.ts';

/**
 * The service did not apply a principal that other rows need, or does not know whether it did, for a reason other than
 * its content. The rows are not invalid: send the batch again.
 */
export class UnsettledError extends Error {
  readonly reason: RowFault;

  constructor(reason: RowFault) {
    super(reason.message);
    this.name = 'UnsettledError';
    this.reason = reason;
  }
}
