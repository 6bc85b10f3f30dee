import type { Accounts } from '../accounts/open-accounts.ts';
import { changeOwnPassword } from '../accounts/own-password.ts';
import type { Database } from '../db/database.ts';
import type { Fingerprint } from '../encryption/key-ring.ts';
import type { Jobs } from '../jobs/open-jobs.ts';
import type { Config } from '../settings/config.ts';
import { type CallHistory, openCallHistory } from './call-history.store.ts';
import { openCallStore } from './calls.store.ts';
import { openRuns, type RunHistory } from './runs.store.ts';
import type { CallTools } from './write-call.ts';
import type { WriteRouteTools } from './write-handler.routes.ts';

export interface Calls extends WriteRouteTools {
  readonly history: CallHistory;
  readonly runs: RunHistory;
  /** Returns a new keyed hash for the fingerprint of a request body. */
  newFingerprint(): Fingerprint;
}

interface CallParts extends Omit<CallTools, 'calls' | 'submissions' | 'maxRemovals' | 'limits'> {
  readonly database: Database;
  readonly config: Config;
  readonly jobs: Jobs;
  readonly password: Accounts['password'];
}

export function openCalls({ database, config, jobs, password, ...tools }: CallParts): Calls {
  return {
    callTools: {
      ...tools,
      calls: openCallStore(database),
      submissions: jobs.submissions,
      maxRemovals: config.MAX_REMOVALS,
      limits: {
        answered: { records: config.MAX_RECORDS, users: config.MAX_USERS },
        job: { records: config.MAX_JOB_RECORDS, users: config.MAX_JOB_USERS },
      },
    },
    jobs: jobs.store,
    changeOwnPassword: (call) => changeOwnPassword(call, password),
    history: openCallHistory(database, { days: config.JOB_DAYS }),
    runs: openRuns(database, { days: undoDays(config) }),
    newFingerprint: () => tools.keyRing.newFingerprint(),
  };
}

/** An undo needs the outcomes, the old values and the audit rows of a run. */
function undoDays({ UNDO_DAYS, JOB_DAYS, HISTORY_DAYS, AUDIT_DAYS }: Config): number {
  return Math.min(UNDO_DAYS, JOB_DAYS, HISTORY_DAYS, AUDIT_DAYS || UNDO_DAYS);
}
