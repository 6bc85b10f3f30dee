-- The first delivery of a turn is the one with the most attempts, however many are due.
create index deliveries_by_attempts on anagrafe.deliveries (webhook_id, attempts desc, next_at) where state = 'pending';
