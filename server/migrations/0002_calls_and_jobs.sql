-- Calls that outlive their request: those sent with an idempotency key, and jobs.

create table anagrafe.calls (
  id               uuid primary key,
  -- Null: sent in protected mode.
  client_id        bigint references anagrafe.clients (id),
  operation        text not null check (operation in ('update', 'insert')),
  -- Open: being answered, or being taken as a job. An answered call goes from there to completed.
  state            text not null check (state in ('open', 'queued', 'running', 'completed')),
  is_job           boolean not null default false,
  idempotency_key  text collate "C",
  -- Of the operation and the body, keyed: nobody can try passwords on it.
  fingerprint      bytea,
  key_expires_at   timestamptz,
  -- When whoever has an open call in hand last said so; null: nobody has.
  in_hand_at       timestamptz,
  submitted_at     timestamptz not null default now(),
  started_at       timestamptz,
  ended_at         timestamptz,
  cancelled_at     timestamptz,
  records          integer,
  users            integer,
  -- The job's own key, encrypted under that of the service; null once the job has ended.
  wrapped_key      bytea,
  -- Counted when the job ends; until then the outcomes are counted.
  records_failed   integer,
  users_applied    integer
);

create unique index calls_idempotency_key on anagrafe.calls (coalesce(client_id, 0), idempotency_key)
  where idempotency_key is not null;
create index calls_jobs on anagrafe.calls (submitted_at desc, id) where is_job;
create index calls_jobs_of_client on anagrafe.calls (client_id, submitted_at desc, id) where is_job;
create index calls_key_expires_at on anagrafe.calls (key_expires_at) where idempotency_key is not null;

-- What became of each record. There is no foreign key to the call: its check would lock the one row of the call in
-- every transaction of every writer.
create table anagrafe.outcomes (
  call_id       uuid not null,
  position      integer not null,
  -- The first item of the tuple.
  principal_id  bigint,
  users         integer not null,
  -- Of an applied record: [[id, "register" | "reset"], ...], in the order sent.
  applied       jsonb,
  -- Of any other: why, every fault by place, and the record as sent without its secrets.
  refusal       jsonb,
  faults        jsonb,
  -- Text, so that its fields stay in the order sent.
  record        json,
  primary key (call_id, position),
  check ((applied is null) <> (refusal is null))
);

create index outcomes_refused on anagrafe.outcomes (call_id, position) where refusal is not null;

-- Records that wait, encrypted under the key of their job.
create table anagrafe.chunks (
  call_id    uuid not null references anagrafe.calls (id),
  number     integer not null,
  -- Of the records in the call.
  positions  integer[] not null,
  -- Chunks of all clients are begun in this order, which gives every client its share.
  turn       integer not null,
  attempts   integer not null default 0,
  sealed     bytea not null,
  primary key (call_id, number)
);

-- Encrypted bytes do not get smaller.
alter table anagrafe.chunks alter column sealed set storage external;

-- Tells a service whether it has the same master key as the others.
create table anagrafe.master_key (
  only_one  boolean primary key default true check (only_one),
  identity  bytea not null
);
