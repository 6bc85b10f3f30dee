-- The journal is read from its newest row on too, with and without the rows of those who have only read.

-- A row comes to an index once it has its place, so that it is written there once and not twice.
drop index anagrafe.journal_events;
create index journal_events on anagrafe.journal (position)
  where action in ('insert', 'update', 'state', 'call.completed', 'job.completed', 'webhook.disabled')
    and position is not null;
drop index anagrafe.journal_principal_id;
create index journal_principal_id on anagrafe.journal (principal_id, position)
  where principal_id is not null and position is not null;

-- A program that asks every second leaves millions of rows between two that changed something.
create index journal_deeds on anagrafe.journal (position)
  where action <> 'records.read' and position is not null;
create index journal_principal_deeds on anagrafe.journal (principal_id, position)
  where action <> 'records.read' and principal_id is not null and position is not null;
