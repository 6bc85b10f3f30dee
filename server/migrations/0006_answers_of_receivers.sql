-- What came back with the last attempt of a delivery, for those who look after the service.

alter table anagrafe.deliveries
  -- The beginning of what the receiver answered, as text; null where that was nothing.
  add column answer text,
  -- How long it took until its status was there, or until it was clear that there would be none.
  add column milliseconds integer;
