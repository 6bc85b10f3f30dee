-- What the console asks for every few seconds is answered out of an index, however much there is.

-- In the order in which deliveries are listed: many are made out at one moment.
drop index anagrafe.deliveries_of_webhook;
create index deliveries_of_webhook on anagrafe.deliveries (webhook_id, created_at desc, id);
create index deliveries_given_up on anagrafe.deliveries (webhook_id, created_at desc, id) where state = 'failed';

-- Sessions that go on; each refresh leaves one behind that does not.
create index sessions_live on anagrafe.sessions (refresh_expires_at) where spent_at is null;
