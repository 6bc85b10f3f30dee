/** The activity of one hour or one day in UTC. */
export interface Span {
  readonly start: Date;
  /** Completed synchronous calls, without jobs. */
  readonly calls: number;
  readonly jobs: number;
  readonly recordsFailed: number;
  readonly principalsInserted: number;
  readonly usersRegistered: number;
  readonly passwordsReset: number;
}

export interface Totals {
  readonly principals: number;
  readonly users: number;
  /** Sessions of users whose refresh token is unused and has not expired. */
  readonly sessions: number;
  /** Audit rows that are not in the hash chain yet. */
  readonly unchained: number;
  readonly jobsQueued: number;
  readonly jobsRunning: number;
}

export interface Statistics extends Totals {
  /** The last 24 hours including the current one, oldest first, without gaps. */
  readonly hours: readonly Span[];
  /** The last 30 days including the current one, oldest first, without gaps. */
  readonly days: readonly Span[];
}

export interface StatisticsStore {
  read(): Promise<Statistics>;
}
