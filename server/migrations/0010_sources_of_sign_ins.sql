-- Where users have signed in from: guesses at a password from elsewhere do not make these sources wait.
create table anagrafe.sign_in_sources (
  -- A keyed digest of the username and of the address, as in throttles.
  pair    bytea primary key,
  user_id bigint not null references anagrafe.users (id) on delete cascade,
  used_at timestamptz not null default now()
);

create index sign_in_sources_user_id on anagrafe.sign_in_sources (user_id);
create index sign_in_sources_used_at on anagrafe.sign_in_sources (used_at);
