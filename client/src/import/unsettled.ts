import type { RowFault } from './row-fault.ts';

/** The service could not do something that other rows wait for, through no fault of theirs. It can be tried again. */
export class UnsettledError extends Error {
  readonly reason: RowFault;

  constructor(reason: RowFault) {
    super(reason.message);
    this.name = 'UnsettledError';
    this.reason = reason;
  }
}
