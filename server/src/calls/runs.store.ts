import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { type Page, readGroup, readNewest } from '../db/paging.ts';
import { type CallerTags, seesCaller } from '../db/visibility.ts';
import { leaseMs } from '../idempotency/idempotency.ts';
import { ApiError } from '../lib/field-errors.ts';
import { required } from '../lib/required.ts';
import type { UserEffect } from '../records/parse/parsed-user.ts';

/** The calls that belong together, such as those of one import. */
export type RunHistory = ReturnType<typeof openRuns>;

/** A row of the runs. Its other columns are the other fields of the answer. */
interface Run {
  readonly ID: string;
  /** Null while a call of the run is not completed. */
  readonly EndedAt: Date | null;
  readonly UndoableUntil: Date;
}

/** The number of principals and users that the applied records of a run name. */
export interface RunCounts {
  readonly principals: number;
  readonly users: number;
}

/** The effects of a run on a principal and on its users. */
interface RunEffects {
  readonly id: number;
  readonly inserted: boolean;
  /** True if the run has changed the principal itself. */
  readonly written: boolean;
  /** A user that the run has moved is listed under its former principal, with the one it was moved to, if that still exists. */
  readonly users: readonly (readonly [id: number, effects: readonly UserEffect[], movedTo: number | null])[];
  /** The users that the run has moved to the principal and that have another former principal. */
  readonly leaving: readonly number[];
}

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
  select run.id as "ID", run.client_id as "ClientID", client.name as "ClientName", run.started_at as "StartedAt",
         case when counted.has_ended then counted.ended_at end as "EndedAt", counted.calls as "Calls",
         counted.records as "Records", counted.failed as "RecordsFailed", counted.users as "Users",
         run.started_at + make_interval(days => $2) as "UndoableUntil",
         undo.ended_at as "UndoneAt", undo.client_name as "UndoneBy"
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

const countEffectsSql = `
  select count(distinct principal_id) filter (where written or item is not null)::integer as principals,
          count(distinct item ->> 0)::integer as users
     from (select principal_id, applied, ${isWritten} as written from ${appliedRecords}) as record
          left join lateral jsonb_array_elements(applied) as item on item ->> 1 not in ('none', 'invite')`;

const effectsSql = `
  with written as (
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
     from principal full join users using (id) left join leaving using (id) order by id`;

/** `days`: the time in which a run can be undone. */
export function openRuns(database: Database, { days }: { readonly days: number }) {
  return {
    ...storeWithApiErrors({
      /** Lists the newest runs first, at most `newestListed`. */
      async list(page: Page, callerTags: CallerTags) {
        const { rows, totalCount } = await readNewest<{ id: string }>(database, page, {
          from: `from anagrafe.runs where ${seesCaller('runs.client_id', '$1')} order by started_at desc, id`,
          values: [callerTags],
          select: (limited) => `select id ${limited}`,
        });
        const ids = rows.map(({ id }) => id);
        const runs = await database.query<Run>(selectRuns, [ids, days, callsListed, callerTags]);
        return { runs, totalCount };
      },
      async find(id: string, callerTags: CallerTags): Promise<Run> {
        const [run] = await database.query<Run>(selectRuns, [[id], days, null, callerTags]);
        if (!run) throw new ApiError('RUN_NOT_FOUND');
        return run;
      },
      async calls(id: string, { page, pageSize }: Page, callerTags: CallerTags) {
        const ofRun = `from anagrafe.calls where run_id = $1 and ${seesCaller('calls.client_id', '$2')}`;
        const [total, calls] = await Promise.all([
          database.query<{ total: number }>(`select count(*) as total ${ofRun}`, [id, callerTags]),
          database.query(
            `select id as "CallID", case when is_job then id end as "JobID", operation as "Operation",
                    submitted_at as "SubmittedAt", ended_at as "EndedAt", records as "Records",
                    ${failedRecords} as "RecordsFailed", users as "Users"
               from (select * ${ofRun} order by submitted_at, id limit $3 offset $4) as own order by submitted_at, id`,
            [id, callerTags, pageSize, pageSize * (page - 1)],
          ),
        ]);
        return { calls, totalCount: total[0]?.total ?? 0 };
      },
    }),
    countEffects: (id: string): Promise<RunCounts> =>
      readGroup(async () => {
        const [counts] = await database.query<RunCounts>(countEffectsSql, [id]);
        return required(counts);
      }),
    /** Returns what the applied records of the run did, by principal that they changed. */
    effects: (id: string) => readGroup(() => database.query<RunEffects>(effectsSql, [id])),
  };
}
