-- Look-alikes: principals whose names, numbers or keys are equal except for their spelling.

-- Independent of the collation of the database. NFKD takes the accents off most letters and makes every space a plain one,
-- so that few capital letters are left that are not ASCII.
create function anagrafe.case_folded(value text) returns text language plpgsql immutable parallel safe as $$
begin
  if octet_length(value) = length(value) then
    return lower(value collate "C");
  end if;
  return replace(translate(lower(normalize(value, nfkd) collate "C"),
    'ÆØŒÐÞĐĦŁŊŦƏẞΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐ',
    'æøœðþđħłŋŧəßαβγδεζηθικλμνξοπρστυφχψωσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ'), 'ß', 'ss');
end
$$;

-- A key or number without case, spaces, dashes (the Unicode category Pd, and the minus sign) and leading zeros.
create function anagrafe.code_form(code text) returns text language plpgsql immutable parallel safe as $$
declare
  form text := translate(anagrafe.case_folded(code), U&' -\058A\05BE\1400\1806\2010\2011\2012\2013\2014\2015\2212\2E17\2E1A\2E3A\2E3B\2E40\2E5D\301C\3030\30A0\+010EAD', '');
begin
  return nullif(coalesce(nullif(ltrim(form, '0'), ''), left(form, 1)), '');
end
$$;

-- The forms of a principal by which it looks like another one: its key, its numbers, and the name of the company or, without
-- one, of the person. A number of zeros alone stands for one that is not known.
create function anagrafe.likeness(external_key text, denomination text, surname text, name text, vatnumber text, taxcode text)
  returns text[] language plpgsql immutable parallel safe as $$
declare
  whole_name text := anagrafe.case_folded(coalesce(denomination, concat_ws(' ', surname, name)));
begin
  if strpos(whole_name, '  ') > 0 then
    whole_name := regexp_replace(whole_name, ' +', ' ', 'g');
  end if;
  return array_remove(array[
    'key ' || anagrafe.code_form(external_key),
    'name ' || nullif(btrim(whole_name), ''),
    'vatnumber ' || nullif(anagrafe.code_form(vatnumber), '0'),
    'taxcode ' || nullif(anagrafe.code_form(taxcode), '0')], null);
end
$$;

-- The hashes of the forms of all principals. In a table of their own, a change of the users of a principal does not write them.
-- The hash has a fixed size; a search compares the forms, too.
create table anagrafe.principal_likeness (
  form          bigint not null,
  principal_id  bigint not null
);

insert into anagrafe.principal_likeness (form, principal_id)
select distinct hashtextextended(form, 0), id
  from anagrafe.principals cross join lateral unnest(
         anagrafe.likeness(external_key, denomination, surname, name, vatnumber, taxcode)) as form;

alter table anagrafe.principal_likeness add primary key (form, principal_id);

create function anagrafe.add_likeness() returns trigger language plpgsql as $$
begin
  insert into anagrafe.principal_likeness (form, principal_id)
  select distinct hashtextextended(form, 0), id
    from new_principals cross join lateral unnest(
           anagrafe.likeness(external_key, denomination, surname, name, vatnumber, taxcode)) as form
   order by 1, 2;
  return null;
end
$$;

create function anagrafe.remove_likeness() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from anagrafe.principal_likeness
   where principal_id = old.id and form in (
     select hashtextextended(form, 0)
       from unnest(anagrafe.likeness(old.external_key, old.denomination, old.surname, old.name, old.vatnumber, old.taxcode)) as form);
  return null;
end
$$;

create function anagrafe.change_likeness() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from anagrafe.principal_likeness
   where principal_id = old.id and form in (
     select hashtextextended(form, 0)
       from unnest(anagrafe.likeness(old.external_key, old.denomination, old.surname, old.name, old.vatnumber, old.taxcode)) as form);
  insert into anagrafe.principal_likeness (form, principal_id)
  select distinct hashtextextended(form, 0), new.id
    from unnest(anagrafe.likeness(new.external_key, new.denomination, new.surname, new.name, new.vatnumber, new.taxcode)) as form;
  return null;
end
$$;

create trigger new_principals_have_likeness after insert on anagrafe.principals
  referencing new table as new_principals for each statement execute function anagrafe.add_likeness();
-- Does not run for a statement that sets other columns alone.
create trigger changed_principals_have_likeness
  after update of external_key, denomination, surname, name, vatnumber, taxcode on anagrafe.principals for each row
  when ((old.external_key, old.denomination, old.surname, old.name, old.vatnumber, old.taxcode)
        is distinct from (new.external_key, new.denomination, new.surname, new.name, new.vatnumber, new.taxcode))
  execute function anagrafe.change_likeness();
create trigger deleted_principals_have_no_likeness after delete on anagrafe.principals
  for each row execute function anagrafe.remove_likeness();

-- Moves of users

-- The version of the principal if users were moved to other principals since: a move changes `updated_at` of the principal
-- that it takes the user from, but not its version.
alter table anagrafe.principals add column version_at timestamptz;
