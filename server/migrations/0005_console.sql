-- What the web console needs: sessions of those who look after the service, calls in detail, what was
-- refused lately, how much was done, and webhooks that are tested and rotated.

-- Who is signed in at the console, as an API client of scope admin.
create table anagrafe.console_sessions (
  token_digest       bytea primary key,
  -- What it was opened with. A session is good as long as its secret is as it was then: a rotation gives that secret an
  -- end, or an earlier one. What is being opened while a secret is rotated is found out in the same way.
  secret_id          bigint not null references anagrafe.client_secrets (id),
  secret_expires_at  timestamptz,
  created_at         timestamptz not null default now(),
  -- To the minute.
  used_at            timestamptz not null default now()
);

create index console_sessions_used_at on anagrafe.console_sessions (used_at);

create index journal_call_id on anagrafe.journal (call_id) where action = 'call.completed';
-- Answered calls are kept as long as jobs are.
drop index anagrafe.calls_jobs_ended_at;
create index calls_ended_at on anagrafe.calls (ended_at);

-- Of a record that was not applied.
alter table anagrafe.outcomes add column refused_at timestamptz;
update anagrafe.outcomes set refused_at = coalesce(
    (select coalesce(ended_at, started_at, submitted_at) from anagrafe.calls where calls.id = call_id), now())
 where refusal is not null;
alter table anagrafe.outcomes add check ((refused_at is null) = (refusal is null));
create index outcomes_refused_at on anagrafe.outcomes (refused_at desc, call_id, position) where refused_at is not null;

-- How much was done, hour by hour: what has its place in the journal is counted when it gets it.
create table anagrafe.activity (
  start                timestamptz primary key,
  calls                bigint not null,
  jobs                 bigint not null,
  records_failed       bigint not null,
  principals_inserted  bigint not null,
  users_registered     bigint not null,
  passwords_reset      bigint not null
);

insert into anagrafe.activity
select date_trunc('hour', at, 'UTC'),
       count(*) filter (where action = 'call.completed'), count(*) filter (where action = 'job.completed'),
       coalesce(sum((details -> 'recordsFailed')::bigint), 0), count(*) filter (where action = 'insert'),
       coalesce(sum(cardinality(registered)), 0), coalesce(sum(cardinality(reset)), 0)
  from anagrafe.journal where position is not null group by 1;

drop index anagrafe.journal_completed_at;

alter table anagrafe.webhooks
  -- What messages are signed with beside the secret, until then.
  add column old_secret bytea,
  add column old_secret_ends_at timestamptz;
-- A test tells of no row of the journal.
alter table anagrafe.deliveries alter column position drop not null;
alter table anagrafe.deliveries add check (position is not null or type = 'webhook.test' and state <> 'pending');

alter table anagrafe.journal drop constraint journal_actor_check;
alter table anagrafe.journal add constraint journal_actor_check
  check (actor in ('client', 'console', 'user', 'protected', 'operator', 'service'));
