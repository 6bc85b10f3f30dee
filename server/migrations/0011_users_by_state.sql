-- One index for each state that lists show: PostgreSQL knows from its size how many users have the state.
drop index anagrafe.users_shown_state;
create index users_active on anagrafe.users (id) where state = 'active' and password_hash is not null;
create index users_invited on anagrafe.users (id) where state = 'active' and password_hash is null;
create index users_disabled on anagrafe.users (id) where state = 'disabled';
