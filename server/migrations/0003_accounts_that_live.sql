-- What happened and by whom; sessions; guesses that are slowed; webhooks.

-- One row for each thing that was done, written in the transaction that did it. A row has no place in the order until
-- it is committed: a sequencer gives it one afterwards, so that writers never wait for one another and a reader never
-- skips what was committed late. With the place comes the seal, a keyed hash over the row and the seal before it.
create table anagrafe.journal (
  id            bigint generated always as identity primary key,
  at            timestamptz not null default clock_timestamp(),
  -- Who did it: an API client, a signed-in user, someone in protected mode, the operator at the command line, the
  -- service itself.
  actor         text not null check (actor in ('client', 'user', 'protected', 'operator', 'service')),
  client_id     bigint,
  user_id       bigint,
  address       inet,
  -- Of the request, or of the call that outlived it.
  request_id    text,
  call_id       uuid,
  action        text not null,
  -- To whom.
  principal_id  bigint,
  registered    bigint[],
  reset         bigint[],
  details       jsonb,
  position      bigint,
  seal          bytea,
  check ((position is null) = (seal is null))
);

create unique index journal_position on anagrafe.journal (position);
create index journal_unsealed on anagrafe.journal (id) where position is null;
create index journal_events on anagrafe.journal (position)
  where action in ('insert', 'update', 'state', 'call.completed', 'job.completed', 'webhook.disabled');
create index journal_principal_id on anagrafe.journal (principal_id, position) where principal_id is not null;
create index journal_at on anagrafe.journal (at);

-- Where the chain of seals ends and, once its beginning has been removed, where it begins.
create table anagrafe.journal_chain (
  only_one        boolean primary key default true check (only_one),
  last_position   bigint not null,
  last_seal       bytea not null,
  first_position  bigint not null,
  -- The seal of the row before the first one.
  first_seal      bytea not null
);

insert into anagrafe.journal_chain values (true, 0, '', 1, '');

-- Raised when all sessions so far have to end; a session is good as long as its own two are those of today. Rows of
-- sessions are removed as well, but a statement does not see those that are being made at the same moment.
alter table anagrafe.users add column sessions_epoch integer not null default 0;
alter table anagrafe.principals add column sessions_epoch integer not null default 0;

create table anagrafe.sessions (
  id                  bigint generated always as identity primary key,
  user_id             bigint not null references anagrafe.users (id),
  -- All that came of one sign-in, one after the other.
  family              uuid not null,
  user_epoch          integer not null,
  principal_epoch     integer not null,
  token_digest        bytea not null unique,
  refresh_digest      bytea not null unique,
  created_at          timestamptz not null default now(),
  token_expires_at    timestamptz not null,
  refresh_expires_at  timestamptz not null,
  -- When the refresh token was exchanged for the next pair.
  spent_at            timestamptz
);

create index sessions_user_id on anagrafe.sessions (user_id);
create index sessions_family on anagrafe.sessions (family);
create index sessions_refresh_expires_at on anagrafe.sessions (refresh_expires_at);

-- Failed sign-ins, by whom they are for and by where they come from.
create table anagrafe.throttles (
  -- A keyed digest: what people type as a username may be their password.
  key         bytea primary key,
  -- Of a user that exists, so that a reset can clear it.
  user_id     bigint,
  -- A part of one, too: what lies back counts less.
  failures    double precision not null,
  waits_until timestamptz not null,
  updated_at  timestamptz not null default now()
);

create index throttles_user_id on anagrafe.throttles (user_id) where user_id is not null;
create index throttles_updated_at on anagrafe.throttles (updated_at);

create table anagrafe.webhooks (
  id            bigint generated always as identity primary key,
  -- Null: created at the command line, for nobody in particular.
  client_id     bigint references anagrafe.clients (id),
  url           text not null,
  -- Which events; all of them where empty.
  types         text[] not null default '{}',
  granularity   text not null check (granularity in ('user', 'record', 'job')),
  -- What it signs with, encrypted under a key of the service.
  secret        bytea not null,
  created_at    timestamptz not null default now(),
  -- Null: delivers.
  disabled_at   timestamptz,
  disabled_why  text,
  deleted_at    timestamptz,
  -- How far in the journal deliveries have been made out.
  position      bigint not null
);

create table anagrafe.deliveries (
  -- The `webhook-id`, the same at every attempt.
  id            uuid primary key,
  webhook_id    bigint not null references anagrafe.webhooks (id),
  -- What it is about: a row of the journal and, of its events, one or all of them.
  position      bigint not null,
  event         integer,
  type          text not null,
  state         text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts      integer not null default 0,
  created_at    timestamptz not null default now(),
  next_at       timestamptz not null default now(),
  attempted_at  timestamptz,
  -- What came of the last attempt.
  status        integer,
  failure       text
);

create index deliveries_due on anagrafe.deliveries (webhook_id, next_at) where state = 'pending';
create index deliveries_of_webhook on anagrafe.deliveries (webhook_id, created_at desc);
create index deliveries_position on anagrafe.deliveries (position) where state = 'pending';
create index deliveries_ended on anagrafe.deliveries (created_at) where state <> 'pending';

create index calls_jobs_ended_at on anagrafe.calls (ended_at) where is_job;
drop index anagrafe.calls_key_expires_at;
create index calls_key_expires_at on anagrafe.calls (key_expires_at);

alter table anagrafe.calls drop constraint calls_operation_check;
alter table anagrafe.calls add constraint calls_operation_check check (operation in ('update', 'insert', 'state'));
