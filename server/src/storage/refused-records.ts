import {
  placesListed,
  type RefusedRecord,
  type RefusedRecordStore,
  refusedListed,
} from '../core/calls/refused-record.ts';
import type { Page } from '../core/jobs/job.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';
import { type KeptFaults, toFaults } from './outcomes.ts';

export function openRefusedRecords(database: Database): RefusedRecordStore {
  return { list: (page) => reading(() => list(database, page)) };
}

type RefusedRow = Omit<RefusedRecord, 'faults'> & { readonly faults: KeptFaults | null };

/** Only as much of the index is read as is listed, however many there are. */
async function list(database: Database, { page, pageSize }: Page) {
  const offset = Math.min(pageSize * (page - 1), refusedListed);
  const [counted, rows] = await Promise.all([
    database.query<{ total: number }>(
      `select count(*) as total from (
         select from anagrafe.outcomes where refused_at is not null
          order by refused_at desc limit ${refusedListed}) as newest`,
    ),
    database.query<RefusedRow>(
      `select refused_at as at, call_id as "callId", is_job as "isJob", operation, client_id as "clientId", position,
              principal_id as id, refusal, jsonb_array_length(faults) as "faultsCount",
              jsonb_path_query_array(faults, '$[0 to ${placesListed - 1}]') as faults
         from (select * from anagrafe.outcomes where refused_at is not null
                order by refused_at desc, call_id, position limit $1 offset $2) as outcome
              join anagrafe.calls on calls.id = call_id
        order by refused_at desc, call_id, position`,
      [Math.min(pageSize, refusedListed - offset), offset],
    ),
  ]);
  const refused = rows.map((row) => ({ ...row, faults: toFaults(row.faults).byPlace }));
  return { refused, totalCount: counted[0]?.total ?? 0 };
}
