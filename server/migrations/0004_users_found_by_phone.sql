-- The digits of phone numbers, in reverse: a phone number is searched by its last digits, since its prefix is often left out.
create index users_phone on anagrafe.users (reverse(regexp_replace(phone, '[^0-9]', '', 'g')) collate "C", id)
  where phone is not null;
