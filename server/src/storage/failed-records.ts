import type { Fault } from '../core/codes.ts';
import type { FailedRecord } from '../core/jobs/retry-kit.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';
import { type KeptFaults, toFaults } from './outcomes.ts';

/** They are read so many at a time. */
const failedAtOnce = 500;

interface FailedRow {
  readonly position: number;
  readonly refusal: Fault;
  readonly faults: KeptFaults;
  readonly record: string | null;
}

/** The records of a call or a job that were not applied, ready to go back to their sender. */
export async function* failedRecords(database: Database, id: string): AsyncGenerator<FailedRecord> {
  for (let after = -1; ; ) {
    const rows = await reading(() =>
      database.query<FailedRow>(
        `select position, refusal, faults, record::text as record from anagrafe.outcomes
          where call_id = $1 and position > $2 and refusal is not null order by position limit ${failedAtOnce}`,
        [id, after],
      ),
    );
    for (const row of rows) yield { ...row, faults: toFaults(row.faults).byPlace };
    after = rows.at(-1)?.position ?? after;
    if (rows.length < failedAtOnce) return;
  }
}
