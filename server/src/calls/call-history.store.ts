import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { type Page, readNewest } from '../db/paging.ts';
import { type CallerTags, seesCaller, seesPrincipal } from '../db/visibility.ts';
import type { ErrorDetail } from '../lib/error-codes.ts';
import { ApiError } from '../lib/field-errors.ts';
import {
  failedRecords,
  type OutcomeErrorsJson,
  type OutcomeRow,
  outcomeColumnsWithoutUsers,
  toFieldErrors,
  toOutcomes,
} from '../records/write/call-outcomes.store.ts';

/** The synchronous calls, and the failed records of all calls and jobs. */
export type CallHistory = ReturnType<typeof openCallHistory>;

/** A row of the audit log about a synchronous call. Its other columns are the other fields of the answer. */
interface CompletedCall {
  readonly CallID: string;
  readonly Records: number;
  readonly RecordsFailed: number;
}

const callColumns = `at as "At", actor as "Actor", client_id as "ClientID", user_id as "UserID", host(address) as "Address",
  request_id as "RequestId", call_id as "CallID", details ->> 'operation' as "Operation",
  (details -> 'records')::integer as "Records", (details -> 'recordsFailed')::integer as "RecordsFailed",
  (details -> 'users')::integer as "Users", (details -> 'usersApplied')::integer as "UsersApplied",
  (details -> 'milliseconds')::integer as "Milliseconds"`;

/** A failed record of a call or job, without its contents. Its other columns are fields of the answer. */
interface FailureRow {
  readonly error: ErrorDetail;
  readonly errors: OutcomeErrorsJson | null;
  /** Number of the places that have errors; `errors` has the first. */
  readonly places: number;
}

/** Maximum number of places listed per record. Each of the many users of a record may have field errors. */
const placesListed = 20;

/** Few of the calls may be those that a limited caller sees, so it gets those of the last days only. */
const ofLastDays = `id >= coalesce((select id from anagrafe.audit_log_hashed
  where at > now() - make_interval(days => $2::integer) order by at limit 1), 0)`;

/** The condition on the call is a subquery, so that the newest outcomes are read by their index. */
const newestFailures = `from anagrafe.outcomes where failed_at is not null
    and ($1::text[] is null or exists (
      select from anagrafe.calls where calls.id = call_id and ${seesCaller('calls.client_id', '$1')}))
  order by failed_at desc, call_id, position`;

interface CallListing extends Page {
  /** Selects calls with at least one failed record or, within one call, its failed records. */
  readonly failedOnly: boolean;
}

/** All methods find only what the caller with the tags sees. `days` is the retention period of calls. */
export function openCallHistory(database: Database, { days }: { readonly days: number }) {
  return {
    ...storeWithApiErrors({
      /** Lists the newest calls first, at most `newestListed`, including rows that are not yet part of the hash chain. */
      async list({ failedOnly, ...page }: CallListing, callerTags: CallerTags) {
        const scope = `($1::text[] is null or ${ofLastDays}) and ${seesCaller('client_id', '$1')}`;
        const failed = failedOnly ? `and details ->> 'recordsFailed' <> '0'` : '';
        const { rows: calls, totalCount } = await readNewest<CompletedCall>(database, page, {
          from: `from anagrafe.audit_log where action = 'call.completed' ${failed} and ${scope} order by id desc`,
          values: [callerTags, days],
          select: (limited) => `select ${callColumns} ${limited}`,
        });
        return { calls, totalCount };
      },
      async find(id: string, callerTags: CallerTags): Promise<CompletedCall> {
        const [call] = await database.query<CompletedCall>(
          `select ${callColumns} from anagrafe.audit_log
            where action = 'call.completed' and call_id = $1 and at > now() - make_interval(days => $2)
              and ${seesCaller('client_id', '$3')}`,
          [id, days, callerTags],
        );
        if (!call) throw new ApiError('CALL_NOT_FOUND');
        return call;
      },
      /** Returns the outcomes in the order sent, without the users of applied records. */
      async outcomes(id: string, { page, pageSize, failedOnly }: CallListing, callerTags: CallerTags) {
        const rows = await database.query<OutcomeRow>(
          `select ${outcomeColumnsWithoutUsers} from anagrafe.outcomes
            where call_id = $1 ${failedOnly ? 'and error is not null' : ''}
            order by position limit $2 offset $3`,
          [id, pageSize, pageSize * (page - 1)],
        );
        return toOutcomes(database, rows, callerTags);
      },
      /** Lists the newest failed records first, at most `newestListed`. */
      async listFailures(page: Page, callerTags: CallerTags) {
        const { rows, totalCount } = await readNewest<FailureRow>(database, page, {
          from: newestFailures,
          values: [callerTags],
          select: (limited) =>
            `select failed_at as "At", call_id as "CallID", case when is_job then call_id end as "JobID",
                    operation as "Operation", client_id as "ClientID", position as "Position", principal_id as "ID",
                    coalesce(outcome.external_key, principals.external_key) as "ExternalKey", username as "Username",
                    error, jsonb_array_length(field_errors) as places,
                    jsonb_path_query_array(field_errors, '$[0 to ${placesListed - 1}]') as errors
               from (select * ${limited}) as outcome
                    join anagrafe.calls on calls.id = call_id
                    left join anagrafe.principals on principals.id = principal_id and ${seesPrincipal('principals', '$1')}
              order by failed_at desc, call_id, position`,
        });
        const failures = rows.map((row) => ({ ...row, errors: toFieldErrors(row.errors).byPlace }));
        return { failures, totalCount };
      },
    }),
    failed: (id: string) => failedRecords(database, id),
  };
}
