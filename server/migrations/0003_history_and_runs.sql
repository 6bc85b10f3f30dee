-- Old and new values of changed fields

-- The values of one edited user, or of the principal itself, in one audit row. They are deleted with the user or the
-- principal, and after their retention. The audit row keeps only a digest of them, so the hash chain still verifies.
create table anagrafe.changed_values (
  -- Of the audit row.
  change_id     uuid not null,
  -- Zero: the fields of the principal itself.
  user_id       bigint not null,
  principal_id  bigint not null,
  call_id       uuid,
  changed_at    timestamptz not null default now(),
  -- A part of the digest: without it, a short value could be guessed from the digest after the row is deleted.
  salt          uuid not null default gen_random_uuid(),
  -- [[field, old value, new value], ...]; `json`, so that the text stays as it was when the digest was computed.
  changes       json not null,
  primary key (change_id, user_id)
);

create index changed_values_user_id on anagrafe.changed_values (user_id) where user_id > 0;
create index changed_values_principal_id on anagrafe.changed_values (principal_id) where user_id = 0;
create index changed_values_call_id on anagrafe.changed_values (call_id, principal_id) where call_id is not null;
create index changed_values_changed_at on anagrafe.changed_values (changed_at);

create function anagrafe.digest_of(stored anagrafe.changed_values) returns bytea language sql stable as $$
  select sha256(convert_to(
    row(stored.salt, stored.principal_id, stored.user_id, stored.call_id, stored.changes)::text, 'UTF8'))
$$;

-- Both are null unless fields of the principal or of users were changed. The hash of the row covers them.
alter table anagrafe.audit_log add column change_id uuid;
alter table anagrafe.audit_log add column digests bytea[];

-- The users that the rows of the hash chain name, for the history of a user. The chain writer inserts them.
create table anagrafe.audit_users (
  user_id   bigint not null,
  position  bigint not null,
  primary key (user_id, position)
);

create function anagrafe.users_named(
  action text, user_id bigint, registered bigint[], reset bigint[], deleted bigint[], details jsonb
) returns table (named bigint) language sql immutable as $$
  select distinct named from unnest(
    array[user_id] || registered || reset || deleted || case
      when action in ('update', 'state')
      then array(select (item ->> 0)::bigint from jsonb_path_query(
             jsonb_build_array(details -> 'users', details -> 'moved', details -> 'movedAway'), '$[*][*]') as item)
      when action in ('login', 'login.failed', 'login.reused', 'logout', 'sessions.ended')
      then array[(details ->> 'user')::bigint] end) as named
   where named is not null
$$;

insert into anagrafe.audit_users (user_id, position)
select named, position from anagrafe.audit_log_hashed cross join lateral anagrafe.users_named(
  action, user_id, registered, reset, deleted, details);

-- Runs: the calls that belong together, such as those of one import

create table anagrafe.runs (
  id          uuid primary key,
  -- Null: protected mode. Only this client can add calls to the run.
  client_id   bigint references anagrafe.clients (id),
  started_at  timestamptz not null default now()
);

create index runs_started_at on anagrafe.runs (started_at desc, id);

-- The run that the call is a part of or, if it is an undo, that it undoes.
alter table anagrafe.calls add column run_id uuid;
create index calls_run_id on anagrafe.calls (run_id, submitted_at) where run_id is not null;

alter table anagrafe.calls drop constraint calls_operation_check;
alter table anagrafe.calls add check (operation in ('update', 'insert', 'state', 'upsert', 'delete', 'undo'));
