-- Users who choose their passwords themselves

-- Both are null until the first password is set: the user is invited, whatever its state is when it is enabled.
alter table anagrafe.users alter column password_hash drop not null;
alter table anagrafe.users alter column password_changed_at drop not null, alter column password_changed_at drop default;
-- True: after the next sign-in the user can only change its password.
alter table anagrafe.users add column must_change_password boolean not null default false;

-- The state that lists show and filter by.
drop index anagrafe.users_state;
create index users_shown_state on anagrafe.users
  ((case when password_hash is null and state = 'active' then 'invited' else state end), id);
-- Selects the users of a principal that are invited.
create index users_without_password on anagrafe.users (principal_id, id) where password_hash is null;

-- Codes with which users set their passwords. A user has at most one of each kind: a new code replaces the old one. A
-- forgotten password, which anyone can report, does not replace an invitation. There is no foreign key, for the reason
-- that users have none; every statement that issues codes has locked the users.
create table anagrafe.password_codes (
  user_id     bigint not null,
  kind        text not null check (kind in ('invitation', 'forgotten')),
  -- The way in which the user got the code.
  channel     text not null check (channel in ('email', 'code')),
  -- SHA-256. The code itself is stored nowhere.
  digest      bytea not null unique,
  issued_at   timestamptz not null default now(),
  expires_at  timestamptz not null,
  primary key (user_id, kind)
);

create index password_codes_expires_at on anagrafe.password_codes (expires_at);

-- Mails with a code. The code is issued when the mail is sent, so a message in the queue holds the ID alone.
create table anagrafe.mails (
  -- Also the identifier in the Message-ID, which is the same at every attempt.
  id              uuid primary key default gen_random_uuid(),
  kind            text not null check (kind in ('invitation', 'forgotten')),
  -- Null if a forgotten password was reported for an account that does not exist: nothing is sent.
  user_id         bigint,
  -- True if the address of the user was entered instead of the username: the mail lists all users with this address.
  lists_accounts  boolean not null default false,
  -- The call or job that has invited the user.
  call_id         uuid,
  created_at      timestamptz not null default now(),
  state           text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  attempts        integer not null default 0,
  next_at         timestamptz not null default now()
);

create unique index mails_pending on anagrafe.mails (user_id, kind) where state = 'pending';
create index mails_due on anagrafe.mails (next_at) where state = 'pending';
create index mails_user_id on anagrafe.mails (user_id) where user_id is not null;
create index mails_forgotten on anagrafe.mails (created_at) where kind = 'forgotten';

-- Earlier password hashes of users, for ANAGRAFE_PASSWORD_HISTORY.
create table anagrafe.password_history (
  id             bigint generated always as identity primary key,
  user_id        bigint not null,
  password_hash  text not null
);

create index password_history_user_id on anagrafe.password_history (user_id, id desc);

alter table anagrafe.calls drop constraint calls_operation_check;
alter table anagrafe.calls add check (operation in ('update', 'insert', 'state', 'upsert', 'delete', 'merge', 'undo', 'invite'));
-- The last request that issues the codes of a job. An earlier one that is still running ends.
alter table anagrafe.calls add column invitations_id uuid;

create or replace function anagrafe.users_named(
  action text, user_id bigint, registered bigint[], reset bigint[], deleted bigint[], details jsonb
) returns table (named bigint) language sql immutable as $$
  select distinct named from unnest(
    array[user_id] || registered || reset || deleted || case
      when action in ('update', 'state', 'invitations.issued')
      then array(select (item ->> 0)::bigint from jsonb_path_query(
             jsonb_build_array(details -> 'users', details -> 'moved', details -> 'movedAway', details -> 'invited'),
             '$[*][*]') as item)
      when action in ('login', 'login.failed', 'login.reused', 'logout', 'sessions.ended', 'password.forgotten')
      then array[(details ->> 'user')::bigint] end) as named
   where named is not null
$$;
