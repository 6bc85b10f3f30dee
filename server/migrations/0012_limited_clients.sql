-- A limited client or operator sees only the principals that have one of its tags. They are in lower case, sorted, each once;
-- null: it is not limited. They never change, so that what it was answered earlier stays within them.
alter table anagrafe.clients add column tags text[] check (cardinality(tags) between 1 and 20);

-- The tags of deleted principals, for the events of their deletion.
create table anagrafe.deleted_principals (
  id          bigint primary key,
  tags        text[] not null,
  deleted_at  timestamptz not null default now()
);

create index deleted_principals_deleted_at on anagrafe.deleted_principals (deleted_at);

create function anagrafe.keep_tags() returns trigger language plpgsql as $$
begin
  insert into anagrafe.deleted_principals (id, tags) values (old.id, old.tags) on conflict (id) do nothing;
  return null;
end $$;

create trigger principals_keep_tags after delete on anagrafe.principals
  for each row when (old.tags is not null) execute function anagrafe.keep_tags();
