-- What an undo has left as it was: [[user ID or null for the principal, field or null, reason], ...].
alter table anagrafe.outcomes add column kept jsonb;
