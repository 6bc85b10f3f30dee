import { placesListed, type RefusedRecord, type RefusedRecordStore } from '../core/calls/refused-record.ts';
import type { Page } from '../core/jobs/job.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';
import { countNewest, pageOfNewest } from './newest.ts';
import { type KeptFaults, toFaults } from './outcomes.ts';

export function openRefusedRecords(database: Database): RefusedRecordStore {
  return { list: (page) => reading(() => list(database, page)) };
}

type RefusedRow = Omit<RefusedRecord, 'faults'> & { readonly faults: KeptFaults | null };

const newestRefused =
  'from anagrafe.outcomes where refused_at is not null order by refused_at desc, call_id, position';

async function list(database: Database, page: Page) {
  const { limit, offset } = pageOfNewest(page);
  const [totalCount, rows] = await Promise.all([
    countNewest(database, newestRefused),
    database.query<RefusedRow>(
      `select refused_at as at, call_id as "callId", is_job as "isJob", operation, client_id as "clientId", position,
              principal_id as id, refusal, jsonb_array_length(faults) as "faultsCount",
              jsonb_path_query_array(faults, '$[0 to ${placesListed - 1}]') as faults
         from (select * ${newestRefused} limit $1 offset $2) as outcome
              join anagrafe.calls on calls.id = call_id
        order by refused_at desc, call_id, position`,
      [limit, offset],
    ),
  ]);
  const refused = rows.map((row) => ({ ...row, faults: toFaults(row.faults).byPlace }));
  return { refused, totalCount };
}
