-- Tags group principals, such as those of a reseller. They are in lower case, sorted, each once; null means none.
alter table anagrafe.principals add column tags text[] check (cardinality(tags) between 1 and 20);

create index principals_tags on anagrafe.principals using gin (tags) where tags is not null;
