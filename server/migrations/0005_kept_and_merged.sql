-- What an undo has left as it was: [[user ID or null for the principal, field or null, reason], ...].
alter table anagrafe.outcomes add column kept jsonb;

-- External keys of principals that were merged into others. Each still names the principal that has its users now.
create table anagrafe.principal_aliases (
  external_key  text collate "C" primary key,
  principal_id  bigint not null references anagrafe.principals (id) on delete cascade
);

create index principal_aliases_principal_id on anagrafe.principal_aliases (principal_id);
-- For the search of look-alikes.
create index principal_aliases_form on anagrafe.principal_aliases (('key ' || anagrafe.code_form(external_key)));

-- A key that is set after a concurrent merge has made it an alias would name two principals. A principal that gets its own
-- alias as its key no longer needs the alias.
create function anagrafe.refuse_alias() returns trigger language plpgsql as $$
begin
  delete from anagrafe.principal_aliases where external_key = new.external_key and principal_id = new.id;
  if exists (select from anagrafe.principal_aliases where external_key = new.external_key) then
    raise unique_violation using message = 'the external key is an alias of another principal', constraint = 'principal_aliases_pkey';
  end if;
  return null;
end
$$;

create trigger new_keys_are_no_aliases after insert on anagrafe.principals
  for each row when (new.external_key is not null) execute function anagrafe.refuse_alias();
create trigger changed_keys_are_no_aliases after update of external_key on anagrafe.principals
  for each row when (new.external_key is not null and new.external_key is distinct from old.external_key)
  execute function anagrafe.refuse_alias();

alter table anagrafe.calls drop constraint calls_operation_check;
alter table anagrafe.calls add check (operation in ('update', 'insert', 'state', 'upsert', 'delete', 'merge', 'undo'));
