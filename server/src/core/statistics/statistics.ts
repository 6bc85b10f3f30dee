/** What was done in an hour or a day, which begin by UTC. */
export interface Span {
  readonly start: Date;
  /** Answered at once. */
  readonly calls: number;
  readonly jobs: number;
  /** Of the calls and of the jobs. */
  readonly recordsFailed: number;
  readonly principalsInserted: number;
  readonly usersRegistered: number;
  readonly passwordsReset: number;
}

export interface Totals {
  readonly principals: number;
  readonly users: number;
  /** Sign-ins that can still be carried on. */
  readonly sessions: number;
  /** Rows of the journal that wait for their seal. */
  readonly unsealed: number;
  readonly jobsQueued: number;
  readonly jobsRunning: number;
}

export interface Statistics extends Totals {
  /** The last 24 and the last 30, the one that is under way included; the oldest first, without a gap. */
  readonly hours: readonly Span[];
  readonly days: readonly Span[];
}

export interface StatisticsStore {
  read(): Promise<Statistics>;
}
