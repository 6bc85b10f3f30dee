-- Mails that are sent, and jobs that send many

-- A mail that is sent again, because the answer of the mail server was lost, has a new code. The code of the earlier
-- attempt stays valid: the user may have received either, or both.
alter table anagrafe.password_codes drop constraint password_codes_pkey;
alter table anagrafe.password_codes drop constraint password_codes_digest_key;
alter table anagrafe.password_codes add primary key (digest);
alter table anagrafe.password_codes add column mail_id uuid;
create index password_codes_user_id on anagrafe.password_codes (user_id, kind);

alter table anagrafe.mails drop constraint mails_state_check;
-- Stopped: too many other mails of the job have failed.
alter table anagrafe.mails add check (state in ('pending', 'sent', 'failed', 'stopped'));
-- The time at which the mail was sent, failed or stopped.
alter table anagrafe.mails add column settled_at timestamptz;
-- The answer of the mail server to the last attempt that failed.
alter table anagrafe.mails add column answer text;

-- Forgotten passwords first: their users are waiting.
drop index anagrafe.mails_due;
create index mails_due on anagrafe.mails (kind, next_at, id) where state = 'pending';
create index mails_created_at on anagrafe.mails (created_at desc, id);
create index mails_state on anagrafe.mails (state, created_at desc, id);
create index mails_call_id on anagrafe.mails (call_id, state, next_at) where call_id is not null;
create index mails_settled_at on anagrafe.mails (settled_at) where settled_at is not null;

-- Jobs whose mails are slowed, or were stopped. The mails that are not due yet have `next_at = 'infinity'`.
create table anagrafe.mail_waves (
  call_id      uuid primary key,
  -- Null: as fast as the mail server accepts them.
  per_minute   integer,
  -- Mails up to this time were made due.
  released_at  timestamptz not null default now(),
  -- Mails that failed before this time do not stop the others.
  counted_from timestamptz not null default '-infinity',
  created_at   timestamptz not null default now()
);
create index mail_waves_created_at on anagrafe.mail_waves (created_at);
