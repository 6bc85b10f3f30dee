/** The service could not do something that other rows wait for, through no fault of theirs. It can be tried again. */
export class UnsettledError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsettledError';
  }
}
