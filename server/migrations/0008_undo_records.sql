-- The records of an undo as JSON, until it ends: a retry that resumes the undo continues with the same records, whatever was
-- changed in the meantime.
alter table anagrafe.calls add column undo_records bytea;

create index calls_undos on anagrafe.calls (run_id, ended_at) where operation = 'undo';
