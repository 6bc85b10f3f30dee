-- A request for a forgotten password writes as many index entries for an unknown account, whose `user_id` is null, as for a
-- known one, so that the time of the answer does not reveal which accounts exist.
drop index anagrafe.mails_user_id;
create index mails_user_id on anagrafe.mails (user_id);
drop index anagrafe.throttles_user_id;
create index throttles_user_id on anagrafe.throttles (user_id);
