-- Master keys that were replaced
create table anagrafe.former_master_keys (
  identity       bytea primary key,
  replaced_at    timestamptz not null default now(),
  -- The hashes of the audit log up to this position were made with this key.
  last_position  bigint not null,
  -- The derived keys that are still needed, encrypted with the master key that is in use.
  derived_keys   bytea not null,
  -- The time from which no stored value was encrypted with this key; null if some may be.
  retired_at     timestamptz
);
