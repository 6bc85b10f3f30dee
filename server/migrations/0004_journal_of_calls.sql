-- The calls among the rows of the journal, for those who look after the service.

create index journal_calls on anagrafe.journal (id) where action = 'call.completed';
create index journal_calls_failed on anagrafe.journal (id)
  where action = 'call.completed' and details ->> 'recordsFailed' <> '0';
create index journal_completed_at on anagrafe.journal (at) where action in ('call.completed', 'job.completed');
