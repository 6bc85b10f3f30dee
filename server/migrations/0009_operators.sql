-- An operator is a person who signs in to the console. Each has a row of `clients` without secrets, so that calls, jobs and
-- audit rows name an operator as they name a client.
alter table anagrafe.clients add column is_operator boolean not null default false;

create table anagrafe.operators (
  client_id        bigint primary key references anagrafe.clients (id),
  email            text not null,
  -- The email address in lower case.
  email_key        text collate "C" not null unique,
  role             text not null check (role in ('viewer', 'desk', 'editor', 'admin')),
  -- Null: invited, or reset.
  password_hash    text,
  -- The digest of the code with which the operator sets its password.
  code_digest      bytea unique,
  code_expires_at  timestamptz,
  -- The secrets of the second factor are encrypted. The pending one becomes valid with its first code.
  totp_secret      bytea,
  totp_pending     bytea,
  -- The time step of the last code that was accepted. No code of it or before it is accepted again.
  totp_step        bigint not null default 0,
  -- Digests of the recovery codes that are left.
  recovery_codes   bytea[] not null default '{}'
);

create table anagrafe.operator_sessions (
  token_digest  bytea primary key,
  -- Names the session in lists. It is not a token.
  id            uuid not null unique default gen_random_uuid(),
  client_id     bigint not null references anagrafe.operators (client_id),
  address       inet,
  created_at    timestamptz not null default now(),
  -- Accurate to one minute.
  used_at       timestamptz not null default now(),
  -- The last time at which the operator entered its password or a code.
  confirmed_at  timestamptz not null default now()
);

create index operator_sessions_client_id on anagrafe.operator_sessions (client_id);
create index operator_sessions_used_at on anagrafe.operator_sessions (used_at);
