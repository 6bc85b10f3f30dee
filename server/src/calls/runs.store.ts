import type { Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { countNewest, type Page, pageOfNewest, readGroup } from '../db/paging.ts';
import { type CallerTags, seesCaller } from '../db/visibility.ts';
import { leaseMs } from '../idempotency/idempotency.ts';
import { required } from '../lib/required.ts';
import type { EffectCounts, Run, RunCall, RunEffects, RunHistory } from './runs.ts';

/** Number of calls that the list counts for each run. `GET /admin/v1/runs/{id}` counts all of them. */
const callsListed = 10_000;

/** SQL for the number of failed records of a call `own`. That of a job is complete when it ends. */
const failedRecords = `(case when own.is_job and own.ended_at is not null then own.records_failed else (
  select count(*) from anagrafe.outcomes where call_id = own.id and error is not null) end)::integer`;

/** SQL: a call that a client has given up before its end stays open, but does not keep its run from ending. */
const isEnded = `(own.state = 'completed' or own.state = 'open' and (
  own.lease_id is null or own.lease_renewed_at < now() - interval '${leaseMs} milliseconds'))`;

/**
 * Reads the runs with the IDs $1, each with the counts of its first $3 calls, or of all if $3 is null, and its last
 * undo, for the caller with the tags $4.
 */
const selectRuns = `
  select run.id, run.client_id as "clientId", client.name as "clientName", run.started_at as "startedAt",
         case when counted.has_ended then counted.ended_at end as "endedAt", counted.calls, counted.records,
         counted.failed as "recordsFailed", counted.users,
         run.started_at + make_interval(days => $2) as "undoableUntil",
         undo.ended_at as "undoneAt", undo.client_name as "undoneBy"
    from anagrafe.runs as run
    left join anagrafe.clients as client on client.id = run.client_id
    cross join lateral (
      select count(*)::integer as calls, bool_and(${isEnded}) as has_ended,
             max(coalesce(ended_at, submitted_at)) as ended_at, coalesce(sum(records), 0)::integer as records,
             coalesce(sum(users), 0)::integer as users, coalesce(sum(${failedRecords}), 0)::integer as failed
        from (select * from anagrafe.calls where run_id = run.id and operation <> 'undo'
               order by submitted_at limit $3) as own
    ) as counted
    left join lateral (
      select calls.ended_at, case when ${seesCaller('undoer.id', '$4')} then undoer.name end as client_name
        from anagrafe.calls left join anagrafe.clients as undoer on undoer.id = calls.client_id
       where calls.run_id = run.id and calls.operation = 'undo' and calls.ended_at is not null
       order by calls.ended_at desc limit 1
    ) as undo on true
   where run.id = any($1) and ${seesCaller('run.client_id', '$4')}
   order by run.started_at desc, run.id`;

/** `days`: the time in which a run can be undone. */
export function openRuns(
  database: Database,
  { days, principalsTouched }: { readonly days: number } & Pick<RunHistory, 'principalsTouched'>,
): RunHistory {
  return {
    list: (page, callerTags) => withApiErrors(() => listRuns(database, page, { days, callerTags })),
    find: (id, callerTags) => withApiErrors(() => findRun(database, id, { days, callerTags })),
    calls: (id, page, callerTags) => withApiErrors(() => listCalls(database, id, page, callerTags)),
    countEffects: (id) => readGroup(() => countEffects(database, id)),
    effects: (id) => readGroup(() => effects(database, id)),
    principalsTouched,
  };
}

interface RunScope {
  readonly days: number;
  readonly callerTags: CallerTags;
}

async function listRuns(database: Database, page: Page, { days, callerTags }: RunScope) {
  const newest = `from anagrafe.runs where ${seesCaller('runs.client_id', '$1')} order by started_at desc, id`;
  const { limit, offset } = pageOfNewest(page);
  const [totalCount, listed] = await Promise.all([
    countNewest(database, newest, [callerTags]),
    database.query<{ id: string }>(`select id ${newest} limit $2 offset $3`, [callerTags, limit, offset]),
  ]);
  const ids = listed.map(({ id }) => id);
  const runs = await database.query<Run>(selectRuns, [ids, days, callsListed, callerTags]);
  return { runs, totalCount };
}

async function findRun(database: Database, id: string, { days, callerTags }: RunScope): Promise<Run | null> {
  const [run] = await database.query<Run>(selectRuns, [[id], days, null, callerTags]);
  return run ?? null;
}

async function listCalls(database: Database, id: string, { page, pageSize }: Page, callerTags: CallerTags) {
  const ofRun = `from anagrafe.calls where run_id = $1 and ${seesCaller('calls.client_id', '$2')}`;
  const [total, calls] = await Promise.all([
    database.query<{ total: number }>(`select count(*) as total ${ofRun}`, [id, callerTags]),
    database.query<RunCall>(
      `select id, is_job as "isJob", operation, submitted_at as "submittedAt", ended_at as "endedAt", records,
              ${failedRecords} as "recordsFailed", users
         from (select * ${ofRun} order by submitted_at, id limit $3 offset $4) as own order by submitted_at, id`,
      [id, callerTags, pageSize, pageSize * (page - 1)],
    ),
  ]);
  return { calls, totalCount: total[0]?.total ?? 0 };
}

const effectsOfChanged = `case when item -> 2 ? 'Password' then array['reset'] else '{}' end
  || case when jsonb_array_length(nullif(item -> 2, 'null') - 'Password') > 0 then array['edit'] else '{}' end`;

/** SQL for the effects on a user of an outcome: `[id, operation, changed fields, state, former principal]`. */
const effectsOf = `case item ->> 1
  when 'state' then array['edit'] when 'disable' then array['edit'] when 'none' then '{}' when 'invite' then '{}'
  when 'edit' then ${effectsOfChanged} when 'move' then array['move'] || ${effectsOfChanged}
  else array[item ->> 1] end`;

/** SQL: the record has changed the principal itself. Without `principal_change` it is one of `irs/insert` or `irs/state`. */
const isWritten = `coalesce(principal_change, operation) in ('insert', 'state', 'inserted', 'updated', 'deleted')`;

/** SQL for the applied records of the run $1, without those of an undo. */
const appliedRecords = `anagrafe.calls join anagrafe.outcomes on call_id = calls.id
        where run_id = $1 and operation <> 'undo' and error is null and principal_id is not null`;

async function countEffects(database: Database, id: string): Promise<EffectCounts> {
  const [counts] = await database.query<EffectCounts>(
    `select count(distinct principal_id) filter (where written or item is not null)::integer as principals,
            count(distinct item ->> 0)::integer as users
       from (select principal_id, applied, ${isWritten} as written from ${appliedRecords}) as record
            left join lateral jsonb_array_elements(applied) as item on item ->> 1 not in ('none', 'invite')`,
    [id],
  );
  return required(counts);
}

function effects(database: Database, id: string): Promise<RunEffects[]> {
  return database.query<RunEffects>(
    `with written as (
       select principal_id, operation = 'insert' or coalesce(principal_change = 'inserted', false) as inserted, applied,
              ${isWritten} as written, row_number() over (order by submitted_at, call_id, position) as number
         from ${appliedRecords}
     ), of_user as (
       select (item ->> 0)::bigint as id, array_agg(distinct effect) as effects,
              (array_agg(principal_id order by number desc))[1] as last,
              (array_agg((item ->> 4)::bigint order by number) filter (where effect = 'move'))[1] as first
         from written cross join lateral jsonb_array_elements(applied) as item
              cross join lateral unnest(${effectsOf}) as effect
        group by 1
     ), with_home as (
       -- A user that the run has registered, or moved there and back, has no former principal.
       select of_user.id, last, case when first = last or 'register' = any(effects) then array_remove(effects, 'move') else effects end as effects,
              coalesce(former.id, last) as home
         from of_user left join anagrafe.principals as former on former.id = first and not ('register' = any(effects))
     ), users as (
       select home as id,
              json_agg(json_build_array(id, effects, case when home <> last then last end) order by id) as users
         from with_home group by home
     ), leaving as (
       select last as id, json_agg(id order by id) as leaving from with_home where home <> last group by last
     ), principal as (
       select principal_id as id, bool_or(inserted) as inserted from written where written group by principal_id
     )
     select id, coalesce(inserted, false) as inserted, inserted is not null as written,
            coalesce(users, '[]') as users, coalesce(leaving, '[]') as leaving
       from principal full join users using (id) left join leaving using (id) order by id`,
    [id],
  );
}
