create table anagrafe.activity (
  start timestamp with time zone not null,
  calls bigint not null,
  jobs bigint not null,
  records_failed bigint not null,
  principals_inserted bigint not null,
  users_registered bigint not null,
  passwords_reset bigint not null,
  constraint activity_pkey PRIMARY KEY (start)
);

create table anagrafe.audit_chain (
  only_one boolean not null default true,
  last_position bigint not null,
  last_hash bytea not null,
  first_position bigint not null,
  first_hash bytea not null,
  constraint audit_chain_only_one_check CHECK (only_one),
  constraint audit_chain_pkey PRIMARY KEY (only_one)
);

create table anagrafe.audit_log (
  id bigint not null default nextval('anagrafe.audit_log_id'::regclass),
  at timestamp with time zone not null default clock_timestamp(),
  actor text not null,
  client_id bigint,
  user_id bigint,
  address inet,
  request_id text,
  call_id uuid,
  action text not null,
  principal_id bigint,
  registered bigint[],
  reset bigint[],
  deleted bigint[],
  details jsonb,
  position bigint,
  hash bytea,
  change_id uuid,
  digests bytea[],
  constraint audit_log_actor_check CHECK ((actor = ANY (ARRAY['client'::text, 'console'::text, 'user'::text, 'protected'::text, 'operator'::text, 'service'::text]))),
  constraint audit_log_check CHECK ((("position" IS NULL) = (hash IS NULL)))
) partition by LIST ("position");
CREATE INDEX audit_log_call_id ON ONLY anagrafe.audit_log USING btree (call_id) WHERE (action = 'call.completed'::text);
CREATE INDEX audit_log_calls ON ONLY anagrafe.audit_log USING btree (id) WHERE (action = 'call.completed'::text);
CREATE INDEX audit_log_calls_failed ON ONLY anagrafe.audit_log USING btree (id) WHERE ((action = 'call.completed'::text) AND ((details ->> 'recordsFailed'::text) <> '0'::text));

create table anagrafe.audit_log_hashed (
  id bigint not null default nextval('anagrafe.audit_log_id'::regclass),
  at timestamp with time zone not null default clock_timestamp(),
  actor text not null,
  client_id bigint,
  user_id bigint,
  address inet,
  request_id text,
  call_id uuid,
  action text not null,
  principal_id bigint,
  registered bigint[],
  reset bigint[],
  deleted bigint[],
  details jsonb,
  position bigint not null,
  hash bytea,
  change_id uuid,
  digests bytea[],
  constraint audit_log_actor_check CHECK ((actor = ANY (ARRAY['client'::text, 'console'::text, 'user'::text, 'protected'::text, 'operator'::text, 'service'::text]))),
  constraint audit_log_check CHECK ((("position" IS NULL) = (hash IS NULL))),
  constraint audit_log_hashed_pkey PRIMARY KEY ("position")
) partition of anagrafe.audit_log DEFAULT;
CREATE INDEX audit_log_at ON anagrafe.audit_log_hashed USING btree (at);
CREATE INDEX audit_log_events ON anagrafe.audit_log_hashed USING btree ("position") WHERE (action = ANY (ARRAY['insert'::text, 'update'::text, 'state'::text, 'delete'::text, 'call.completed'::text, 'job.completed'::text, 'webhook.disabled'::text]));
CREATE INDEX audit_log_hashed_call_id_idx ON anagrafe.audit_log_hashed USING btree (call_id) WHERE (action = 'call.completed'::text);
CREATE INDEX audit_log_hashed_id_idx ON anagrafe.audit_log_hashed USING btree (id) WHERE (action = 'call.completed'::text);
CREATE INDEX audit_log_hashed_id_idx1 ON anagrafe.audit_log_hashed USING btree (id) WHERE ((action = 'call.completed'::text) AND ((details ->> 'recordsFailed'::text) <> '0'::text));
CREATE INDEX audit_log_other_changes ON anagrafe.audit_log_hashed USING btree ("position") WHERE (action <> ALL (ARRAY['insert'::text, 'update'::text, 'state'::text, 'delete'::text, 'call.completed'::text, 'job.completed'::text, 'webhook.disabled'::text, 'records.read'::text]));
CREATE INDEX audit_log_principal_changes ON anagrafe.audit_log_hashed USING btree (principal_id, "position") WHERE ((action <> 'records.read'::text) AND (principal_id IS NOT NULL));
CREATE INDEX audit_log_principal_reads ON anagrafe.audit_log_hashed USING btree (principal_id, "position") WHERE ((action = 'records.read'::text) AND (principal_id IS NOT NULL));

create table anagrafe.audit_log_waiting (
  id bigint not null default nextval('anagrafe.audit_log_id'::regclass),
  at timestamp with time zone not null default clock_timestamp(),
  actor text not null,
  client_id bigint,
  user_id bigint,
  address inet,
  request_id text,
  call_id uuid,
  action text not null,
  principal_id bigint,
  registered bigint[],
  reset bigint[],
  deleted bigint[],
  details jsonb,
  position bigint,
  hash bytea,
  change_id uuid,
  digests bytea[],
  constraint audit_log_actor_check CHECK ((actor = ANY (ARRAY['client'::text, 'console'::text, 'user'::text, 'protected'::text, 'operator'::text, 'service'::text]))),
  constraint audit_log_check CHECK ((("position" IS NULL) = (hash IS NULL))),
  constraint audit_log_waiting_pkey PRIMARY KEY (id)
) partition of anagrafe.audit_log FOR VALUES IN (NULL);
CREATE INDEX audit_log_waiting_call_id_idx ON anagrafe.audit_log_waiting USING btree (call_id) WHERE (action = 'call.completed'::text);
CREATE INDEX audit_log_waiting_id_idx ON anagrafe.audit_log_waiting USING btree (id) WHERE (action = 'call.completed'::text);
CREATE INDEX audit_log_waiting_id_idx1 ON anagrafe.audit_log_waiting USING btree (id) WHERE ((action = 'call.completed'::text) AND ((details ->> 'recordsFailed'::text) <> '0'::text));

create table anagrafe.audit_users (
  user_id bigint not null,
  position bigint not null,
  constraint audit_users_pkey PRIMARY KEY (user_id, "position")
);

create table anagrafe.calls (
  id uuid not null,
  client_id bigint,
  operation text not null,
  state text not null,
  is_job boolean not null default false,
  idempotency_key text collate "C",
  fingerprint bytea,
  key_expires_at timestamp with time zone,
  lease_id uuid,
  lease_renewed_at timestamp with time zone,
  submitted_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  records integer,
  users integer,
  wrapped_key bytea,
  bytes integer not null default 0,
  options jsonb,
  approvals text[],
  recent_users double precision not null default 0,
  recent_at timestamp with time zone,
  records_done integer not null default 0,
  users_done integer not null default 0,
  records_failed integer not null default 0,
  users_applied integer not null default 0,
  counts jsonb,
  run_id uuid,
  invitations_id uuid,
  undo_records bytea,
  constraint calls_client_id_fkey FOREIGN KEY (client_id) REFERENCES anagrafe.clients(id),
  constraint calls_operation_check CHECK ((operation = ANY (ARRAY['update'::text, 'insert'::text, 'state'::text, 'upsert'::text, 'delete'::text, 'merge'::text, 'undo'::text, 'invite'::text]))),
  constraint calls_pkey PRIMARY KEY (id),
  constraint calls_state_check CHECK ((state = ANY (ARRAY['open'::text, 'queued'::text, 'running'::text, 'completed'::text])))
);
CREATE INDEX calls_ended_at ON anagrafe.calls USING btree (ended_at);
CREATE UNIQUE INDEX calls_idempotency_key ON anagrafe.calls USING btree (COALESCE(client_id, (0)::bigint), idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX calls_jobs ON anagrafe.calls USING btree (submitted_at DESC, id) WHERE is_job;
CREATE INDEX calls_jobs_of_client ON anagrafe.calls USING btree (client_id, submitted_at DESC, id) WHERE is_job;
CREATE INDEX calls_key_expires_at ON anagrafe.calls USING btree (key_expires_at) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX calls_open ON anagrafe.calls USING btree (lease_renewed_at) WHERE (state = 'open'::text);
CREATE INDEX calls_open_jobs ON anagrafe.calls USING btree (COALESCE(client_id, (0)::bigint)) WHERE (is_job AND (ended_at IS NULL));
CREATE INDEX calls_run_id ON anagrafe.calls USING btree (run_id, submitted_at) WHERE (run_id IS NOT NULL);
CREATE INDEX calls_undos ON anagrafe.calls USING btree (run_id, ended_at) WHERE (operation = 'undo'::text);

create table anagrafe.changed_values (
  change_id uuid not null,
  user_id bigint not null,
  principal_id bigint not null,
  call_id uuid,
  changed_at timestamp with time zone not null default now(),
  salt uuid not null default gen_random_uuid(),
  changes json not null,
  constraint changed_values_pkey PRIMARY KEY (change_id, user_id)
);
CREATE INDEX changed_values_call_id ON anagrafe.changed_values USING btree (call_id, principal_id) WHERE (call_id IS NOT NULL);
CREATE INDEX changed_values_changed_at ON anagrafe.changed_values USING btree (changed_at);
CREATE INDEX changed_values_principal_id ON anagrafe.changed_values USING btree (principal_id) WHERE (user_id = 0);
CREATE INDEX changed_values_user_id ON anagrafe.changed_values USING btree (user_id) WHERE (user_id > 0);

create table anagrafe.chunks (
  call_id uuid not null,
  number integer not null,
  positions integer[] not null,
  turn integer not null,
  attempts integer not null default 0,
  encrypted_records bytea not null,
  constraint chunks_call_id_fkey FOREIGN KEY (call_id) REFERENCES anagrafe.calls(id),
  constraint chunks_pkey PRIMARY KEY (call_id, number)
);

create table anagrafe.client_secrets (
  id bigint not null generated always as identity,
  client_id bigint not null,
  digest bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  constraint client_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES anagrafe.clients(id),
  constraint client_secrets_digest_key UNIQUE (digest),
  constraint client_secrets_pkey PRIMARY KEY (id)
);
CREATE INDEX client_secrets_client_id ON anagrafe.client_secrets USING btree (client_id);

create table anagrafe.clients (
  id bigint not null generated always as identity,
  public_key text collate "C" not null,
  name text not null,
  scopes text[] not null,
  networks cidr[] not null default '{}'::cidr[],
  known_by_address boolean not null default false,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  is_operator boolean not null default false,
  tags text[],
  constraint clients_check CHECK (((NOT known_by_address) OR (cardinality(networks) > 0))),
  constraint clients_pkey PRIMARY KEY (id),
  constraint clients_public_key_key UNIQUE (public_key),
  constraint clients_scopes_check CHECK ((scopes <@ ARRAY['sync:write'::text, 'sync:read'::text, 'admin'::text])),
  constraint clients_tags_check CHECK (((cardinality(tags) >= 1) AND (cardinality(tags) <= 20)))
);

create table anagrafe.console_sessions (
  token_digest bytea not null,
  secret_id bigint not null,
  secret_expires_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  constraint console_sessions_pkey PRIMARY KEY (token_digest),
  constraint console_sessions_secret_id_fkey FOREIGN KEY (secret_id) REFERENCES anagrafe.client_secrets(id)
);
CREATE INDEX console_sessions_used_at ON anagrafe.console_sessions USING btree (used_at);

create table anagrafe.deleted_principals (
  id bigint not null,
  tags text[] not null,
  deleted_at timestamp with time zone not null default now(),
  constraint deleted_principals_pkey PRIMARY KEY (id)
);
CREATE INDEX deleted_principals_deleted_at ON anagrafe.deleted_principals USING btree (deleted_at);

create table anagrafe.deliveries (
  id uuid not null,
  webhook_id bigint not null,
  position bigint,
  event integer,
  is_group boolean not null default false,
  type text not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  created_at timestamp with time zone not null default now(),
  next_at timestamp with time zone not null default now(),
  attempted_at timestamp with time zone,
  status integer,
  answer text,
  milliseconds integer,
  failure_code text,
  failure_details jsonb,
  constraint deliveries_check CHECK ((("position" IS NOT NULL) OR ((type = 'webhook.test'::text) AND (state <> 'pending'::text)))),
  constraint deliveries_check1 CHECK (((failure_code IS NULL) = (failure_details IS NULL))),
  constraint deliveries_failure_code_check CHECK ((failure_code = ANY (ARRAY['http_status'::text, 'timeout'::text, 'connection_refused'::text, 'connection_reset'::text, 'connection_timeout'::text, 'name_not_resolved'::text, 'unreachable'::text, 'tls_error'::text, 'invalid_response'::text, 'network_error'::text, 'internal_address'::text, 'plain_http'::text, 'event_expired'::text]))),
  constraint deliveries_pkey PRIMARY KEY (id),
  constraint deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES anagrafe.webhooks(id)
);
CREATE INDEX deliveries_by_attempts ON anagrafe.deliveries USING btree (webhook_id, attempts DESC, next_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_due ON anagrafe.deliveries USING btree (webhook_id, next_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_ended ON anagrafe.deliveries USING btree (created_at) WHERE (state <> 'pending'::text);
CREATE INDEX deliveries_failed ON anagrafe.deliveries USING btree (webhook_id, created_at DESC, id) WHERE (state = 'failed'::text);
CREATE INDEX deliveries_of_webhook ON anagrafe.deliveries USING btree (webhook_id, created_at DESC, id);
CREATE INDEX deliveries_position ON anagrafe.deliveries USING btree ("position") WHERE (state = 'pending'::text);

create table anagrafe.former_master_keys (
  identity bytea not null,
  replaced_at timestamp with time zone not null default now(),
  last_position bigint not null,
  derived_keys bytea not null,
  retired_at timestamp with time zone,
  constraint former_master_keys_pkey PRIMARY KEY (identity)
);

create table anagrafe.mail_waves (
  call_id uuid not null,
  per_minute integer,
  released_at timestamp with time zone not null default now(),
  counted_from timestamp with time zone not null default '-infinity'::timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint mail_waves_pkey PRIMARY KEY (call_id)
);
CREATE INDEX mail_waves_created_at ON anagrafe.mail_waves USING btree (created_at);

create table anagrafe.mails (
  id uuid not null default gen_random_uuid(),
  kind text not null,
  user_id bigint,
  lists_accounts boolean not null default false,
  call_id uuid,
  created_at timestamp with time zone not null default now(),
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  next_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  answer text,
  constraint mails_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'forgotten'::text]))),
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'stopped'::text])))
);
CREATE INDEX mails_call_id ON anagrafe.mails USING btree (call_id, state, next_at) WHERE (call_id IS NOT NULL);
CREATE INDEX mails_created_at ON anagrafe.mails USING btree (created_at DESC, id);
CREATE INDEX mails_due ON anagrafe.mails USING btree (kind, next_at, id) WHERE (state = 'pending'::text);
CREATE INDEX mails_forgotten ON anagrafe.mails USING btree (created_at) WHERE (kind = 'forgotten'::text);
CREATE UNIQUE INDEX mails_pending ON anagrafe.mails USING btree (user_id, kind) WHERE (state = 'pending'::text);
CREATE INDEX mails_settled_at ON anagrafe.mails USING btree (settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX mails_state ON anagrafe.mails USING btree (state, created_at DESC, id);
CREATE INDEX mails_user_id ON anagrafe.mails USING btree (user_id);

create table anagrafe.master_key (
  only_one boolean not null default true,
  identity bytea not null,
  constraint master_key_only_one_check CHECK (only_one),
  constraint master_key_pkey PRIMARY KEY (only_one)
);

create table anagrafe.migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (version)
);

create table anagrafe.operator_sessions (
  token_digest bytea not null,
  id uuid not null default gen_random_uuid(),
  client_id bigint not null,
  address inet,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  confirmed_at timestamp with time zone not null default now(),
  constraint operator_sessions_client_id_fkey FOREIGN KEY (client_id) REFERENCES anagrafe.operators(client_id),
  constraint operator_sessions_id_key UNIQUE (id),
  constraint operator_sessions_pkey PRIMARY KEY (token_digest)
);
CREATE INDEX operator_sessions_client_id ON anagrafe.operator_sessions USING btree (client_id);
CREATE INDEX operator_sessions_used_at ON anagrafe.operator_sessions USING btree (used_at);

create table anagrafe.operators (
  client_id bigint not null,
  email text not null,
  email_key text collate "C" not null,
  role text not null,
  password_hash text,
  code_digest bytea,
  code_expires_at timestamp with time zone,
  totp_secret bytea,
  totp_pending bytea,
  totp_step bigint not null default 0,
  recovery_codes bytea[] not null default '{}'::bytea[],
  constraint operators_client_id_fkey FOREIGN KEY (client_id) REFERENCES anagrafe.clients(id),
  constraint operators_code_digest_key UNIQUE (code_digest),
  constraint operators_email_key_key UNIQUE (email_key),
  constraint operators_pkey PRIMARY KEY (client_id),
  constraint operators_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'desk'::text, 'editor'::text, 'admin'::text])))
);

create table anagrafe.outcomes (
  call_id uuid not null,
  position integer not null,
  principal_id bigint,
  users integer not null,
  applied jsonb,
  principal_change text,
  error jsonb,
  field_errors jsonb,
  record json,
  external_key text,
  username text,
  mentions text[] collate "C",
  failed_at timestamp with time zone,
  kept jsonb,
  constraint outcomes_check CHECK (((applied IS NULL) <> (error IS NULL))),
  constraint outcomes_check1 CHECK (((failed_at IS NULL) = (error IS NULL))),
  constraint outcomes_pkey PRIMARY KEY (call_id, "position"),
  constraint outcomes_principal_change_check CHECK ((principal_change = ANY (ARRAY['inserted'::text, 'updated'::text, 'unchanged'::text, 'deleted'::text])))
);
CREATE INDEX outcomes_failed ON anagrafe.outcomes USING btree (call_id, "position") WHERE (error IS NOT NULL);
CREATE INDEX outcomes_failed_at ON anagrafe.outcomes USING btree (failed_at DESC, call_id, "position") WHERE (failed_at IS NOT NULL);
CREATE INDEX outcomes_mentions ON anagrafe.outcomes USING gin (mentions) WITH (fastupdate=off) WHERE (mentions IS NOT NULL);

create table anagrafe.password_codes (
  user_id bigint not null,
  kind text not null,
  channel text not null,
  digest bytea not null,
  issued_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  mail_id uuid,
  constraint password_codes_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'code'::text]))),
  constraint password_codes_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'forgotten'::text]))),
  constraint password_codes_pkey PRIMARY KEY (digest)
);
CREATE INDEX password_codes_expires_at ON anagrafe.password_codes USING btree (expires_at);
CREATE INDEX password_codes_user_id ON anagrafe.password_codes USING btree (user_id, kind);

create table anagrafe.password_history (
  id bigint not null generated always as identity,
  user_id bigint not null,
  password_hash text not null,
  constraint password_history_pkey PRIMARY KEY (id)
);
CREATE INDEX password_history_user_id ON anagrafe.password_history USING btree (user_id, id DESC);

create table anagrafe.principal_aliases (
  external_key text collate "C" not null,
  principal_id bigint not null,
  constraint principal_aliases_pkey PRIMARY KEY (external_key),
  constraint principal_aliases_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES anagrafe.principals(id) ON DELETE CASCADE
);
CREATE INDEX principal_aliases_form ON anagrafe.principal_aliases USING btree ((('key '::text || anagrafe.code_form(external_key))));
CREATE INDEX principal_aliases_principal_id ON anagrafe.principal_aliases USING btree (principal_id);

create table anagrafe.principal_likeness (
  form bigint not null,
  principal_id bigint not null,
  constraint principal_likeness_pkey PRIMARY KEY (form, principal_id)
);

create table anagrafe.principals (
  id bigint not null generated by default as identity,
  external_key text collate "C",
  denomination text,
  surname text,
  name text,
  vatnumber text,
  taxcode text,
  email text,
  state text not null default 'active'::text,
  users_count integer not null default 0,
  search_terms tsvector not null,
  sessions_epoch integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version_at timestamp with time zone,
  tags text[],
  constraint principals_external_key_key UNIQUE (external_key),
  constraint principals_pkey PRIMARY KEY (id),
  constraint principals_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint principals_tags_check CHECK (((cardinality(tags) >= 1) AND (cardinality(tags) <= 20))),
  constraint principals_users_count_check CHECK ((users_count >= 0))
);
CREATE INDEX principals_search_terms ON anagrafe.principals USING gin (search_terms);
CREATE INDEX principals_tags ON anagrafe.principals USING gin (tags) WHERE (tags IS NOT NULL);
CREATE INDEX principals_updated_at ON anagrafe.principals USING btree (updated_at, id);
CREATE TRIGGER changed_keys_are_no_aliases AFTER UPDATE OF external_key ON anagrafe.principals FOR EACH ROW WHEN (((new.external_key IS NOT NULL) AND (new.external_key IS DISTINCT FROM old.external_key))) EXECUTE FUNCTION anagrafe.refuse_alias();
CREATE TRIGGER changed_principals_have_likeness AFTER UPDATE OF external_key, denomination, surname, name, vatnumber, taxcode ON anagrafe.principals FOR EACH ROW WHEN (((((((old.external_key IS DISTINCT FROM new.external_key) OR (old.denomination IS DISTINCT FROM new.denomination)) OR (old.surname IS DISTINCT FROM new.surname)) OR (old.name IS DISTINCT FROM new.name)) OR (old.vatnumber IS DISTINCT FROM new.vatnumber)) OR (old.taxcode IS DISTINCT FROM new.taxcode))) EXECUTE FUNCTION anagrafe.change_likeness();
CREATE TRIGGER deleted_principals_have_no_likeness AFTER DELETE ON anagrafe.principals FOR EACH ROW EXECUTE FUNCTION anagrafe.remove_likeness();
CREATE TRIGGER deleted_principals_have_no_users AFTER DELETE ON anagrafe.principals REFERENCING OLD TABLE AS deleted_principals FOR EACH STATEMENT EXECUTE FUNCTION anagrafe.require_no_users();
CREATE TRIGGER new_keys_are_no_aliases AFTER INSERT ON anagrafe.principals FOR EACH ROW WHEN ((new.external_key IS NOT NULL)) EXECUTE FUNCTION anagrafe.refuse_alias();
CREATE TRIGGER new_principals_have_likeness AFTER INSERT ON anagrafe.principals REFERENCING NEW TABLE AS new_principals FOR EACH STATEMENT EXECUTE FUNCTION anagrafe.add_likeness();
CREATE TRIGGER principals_keep_tags AFTER DELETE ON anagrafe.principals FOR EACH ROW WHEN ((old.tags IS NOT NULL)) EXECUTE FUNCTION anagrafe.keep_tags();

create table anagrafe.row_counts (
  kind text not null,
  block bigint not null,
  slot integer not null,
  amount bigint not null,
  constraint row_counts_kind_check CHECK ((kind = ANY (ARRAY['principals'::text, 'users'::text]))),
  constraint row_counts_pkey PRIMARY KEY (kind, block, slot)
);

create table anagrafe.runs (
  id uuid not null,
  client_id bigint,
  started_at timestamp with time zone not null default now(),
  constraint runs_client_id_fkey FOREIGN KEY (client_id) REFERENCES anagrafe.clients(id),
  constraint runs_pkey PRIMARY KEY (id)
);
CREATE INDEX runs_started_at ON anagrafe.runs USING btree (started_at DESC, id);

create table anagrafe.sessions (
  id bigint not null generated always as identity,
  user_id bigint not null,
  family uuid not null,
  user_epoch integer not null,
  principal_epoch integer not null,
  token_digest bytea not null,
  refresh_digest bytea not null,
  created_at timestamp with time zone not null default now(),
  token_expires_at timestamp with time zone not null,
  refresh_expires_at timestamp with time zone not null,
  predecessor_id bigint,
  spent_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_refresh_digest_key UNIQUE (refresh_digest),
  constraint sessions_token_digest_key UNIQUE (token_digest),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES anagrafe.users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_family ON anagrafe.sessions USING btree (family);
CREATE INDEX sessions_live ON anagrafe.sessions USING btree (refresh_expires_at) WHERE (spent_at IS NULL);
CREATE INDEX sessions_refresh_expires_at ON anagrafe.sessions USING btree (refresh_expires_at);
CREATE INDEX sessions_user_id ON anagrafe.sessions USING btree (user_id);

create table anagrafe.sign_in_sources (
  pair bytea not null,
  user_id bigint not null,
  used_at timestamp with time zone not null default now(),
  constraint sign_in_sources_pkey PRIMARY KEY (pair),
  constraint sign_in_sources_user_id_fkey FOREIGN KEY (user_id) REFERENCES anagrafe.users(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_sources_used_at ON anagrafe.sign_in_sources USING btree (used_at);
CREATE INDEX sign_in_sources_user_id ON anagrafe.sign_in_sources USING btree (user_id);

create table anagrafe.throttles (
  key bytea not null,
  user_id bigint,
  failures double precision not null,
  waits_until timestamp with time zone not null,
  updated_at timestamp with time zone not null default now(),
  constraint throttles_pkey PRIMARY KEY (key)
);
CREATE INDEX throttles_updated_at ON anagrafe.throttles USING btree (updated_at);
CREATE INDEX throttles_user_id ON anagrafe.throttles USING btree (user_id);

create table anagrafe.users (
  id bigint not null generated by default as identity,
  principal_id bigint not null,
  username text not null,
  username_key text collate "C" not null,
  email text,
  phone text,
  first_name text,
  last_name text,
  language text,
  attributes jsonb,
  name_terms tsvector,
  password_hash text,
  state text not null default 'active'::text,
  sessions_epoch integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  password_changed_at timestamp with time zone,
  last_login_at timestamp with time zone,
  has_signed_in boolean not null default false,
  must_change_password boolean not null default false,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint users_username_key_key UNIQUE (username_key)
);
CREATE INDEX users_active ON anagrafe.users USING btree (id) WHERE ((state = 'active'::text) AND (password_hash IS NOT NULL));
CREATE INDEX users_disabled ON anagrafe.users USING btree (id) WHERE (state = 'disabled'::text);
CREATE INDEX users_email ON anagrafe.users USING btree (lower((email COLLATE "C")), id) WHERE (email IS NOT NULL);
CREATE INDEX users_invited ON anagrafe.users USING btree (id) WHERE ((state = 'active'::text) AND (password_hash IS NULL));
CREATE INDEX users_name_terms ON anagrafe.users USING gin (name_terms) WHERE (name_terms IS NOT NULL);
CREATE INDEX users_never_signed_in ON anagrafe.users USING btree (id) WHERE (NOT has_signed_in);
CREATE INDEX users_phone ON anagrafe.users USING btree (reverse(regexp_replace(phone, '[^0-9]'::text, ''::text, 'g'::text)) COLLATE "C", id) WHERE (phone IS NOT NULL);
CREATE INDEX users_principal_id ON anagrafe.users USING btree (principal_id, id);
CREATE INDEX users_updated_at ON anagrafe.users USING btree (updated_at, id);
CREATE INDEX users_without_password ON anagrafe.users USING btree (principal_id, id) WHERE (password_hash IS NULL);
CREATE TRIGGER users_have_principals AFTER INSERT ON anagrafe.users REFERENCING NEW TABLE AS added_users FOR EACH STATEMENT EXECUTE FUNCTION anagrafe.require_principals();

create table anagrafe.webhooks (
  id bigint not null generated always as identity,
  client_id bigint,
  url text not null,
  types text[] not null default '{}'::text[],
  granularity text not null,
  secret bytea not null,
  old_secret bytea,
  old_secret_ends_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  disabled_at timestamp with time zone,
  disabled_reason text,
  disabled_details jsonb,
  deleted_at timestamp with time zone,
  position bigint not null,
  constraint webhooks_check CHECK (((disabled_reason IS NULL) = (disabled_details IS NULL))),
  constraint webhooks_client_id_fkey FOREIGN KEY (client_id) REFERENCES anagrafe.clients(id),
  constraint webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['manual'::text, 'client_revoked'::text, 'client_lost_admin'::text, 'http_status'::text, 'timeout'::text, 'connection_refused'::text, 'connection_reset'::text, 'connection_timeout'::text, 'name_not_resolved'::text, 'unreachable'::text, 'tls_error'::text, 'invalid_response'::text, 'network_error'::text, 'internal_address'::text, 'plain_http'::text, 'event_expired'::text]))),
  constraint webhooks_granularity_check CHECK ((granularity = ANY (ARRAY['user'::text, 'record'::text, 'job'::text]))),
  constraint webhooks_pkey PRIMARY KEY (id)
);

CREATE OR REPLACE FUNCTION anagrafe.add_likeness()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into anagrafe.principal_likeness (form, principal_id)
  select distinct hashtextextended(form, 0), id
    from new_principals cross join lateral unnest(
           anagrafe.likeness(external_key, denomination, surname, name, vatnumber, taxcode)) as form
   order by 1, 2;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.case_folded(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if octet_length(value) = length(value) then
    return lower(value collate "C");
  end if;
  return replace(translate(lower(normalize(value, nfkd) collate "C"),
    'ÆØŒÐÞĐĦŁŊŦƏẞΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐ',
    'æøœðþđħłŋŧəßαβγδεζηθικλμνξοπρστυφχψωσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ'), 'ß', 'ss');
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.change_likeness()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  delete from anagrafe.principal_likeness
   where principal_id = old.id and form in (
     select hashtextextended(form, 0)
       from unnest(anagrafe.likeness(old.external_key, old.denomination, old.surname, old.name, old.vatnumber, old.taxcode)) as form);
  insert into anagrafe.principal_likeness (form, principal_id)
  select distinct hashtextextended(form, 0), new.id
    from unnest(anagrafe.likeness(new.external_key, new.denomination, new.surname, new.name, new.vatnumber, new.taxcode)) as form;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.code_form(code text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  form text := translate(anagrafe.case_folded(code), U&' -\058A\05BE\1400\1806\2010\2011\2012\2013\2014\2015\2212\2E17\2E1A\2E3A\2E3B\2E40\2E5D\301C\3030\30A0\+010EAD', '');
begin
  return nullif(coalesce(nullif(ltrim(form, '0'), ''), left(form, 1)), '');
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.digest_of(stored anagrafe.changed_values)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(convert_to(
    row(stored.salt, stored.principal_id, stored.user_id, stored.call_id, stored.changes)::text, 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION anagrafe.keep_tags()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into anagrafe.deleted_principals (id, tags) values (old.id, old.tags) on conflict (id) do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION anagrafe.likeness(external_key text, denomination text, surname text, name text, vatnumber text, taxcode text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  whole_name text := anagrafe.case_folded(coalesce(denomination, concat_ws(' ', surname, name)));
begin
  if strpos(whole_name, '  ') > 0 then
    whole_name := regexp_replace(whole_name, ' +', ' ', 'g');
  end if;
  return array_remove(array[
    'key ' || anagrafe.code_form(external_key),
    'name ' || nullif(btrim(whole_name), ''),
    'vatnumber ' || nullif(anagrafe.code_form(vatnumber), '0'),
    'taxcode ' || nullif(anagrafe.code_form(taxcode), '0')], null);
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.outcomes_mentioning(sought text[])
 RETURNS TABLE(call_id uuid, "position" integer)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
begin
  return query select stored.call_id, stored.position from anagrafe.outcomes as stored
                where stored.mentions && sought and stored.mentions is not null;
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.refuse_alias()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from anagrafe.principal_aliases where external_key = new.external_key and principal_id = new.id;
  if exists (select from anagrafe.principal_aliases where external_key = new.external_key) then
    raise unique_violation using message = 'the external key is an alias of another principal', constraint = 'principal_aliases_pkey';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.remove_likeness()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  delete from anagrafe.principal_likeness
   where principal_id = old.id and form in (
     select hashtextextended(form, 0)
       from unnest(anagrafe.likeness(old.external_key, old.denomination, old.surname, old.name, old.vatnumber, old.taxcode)) as form);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.require_no_users()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  if exists (select from deleted_principals
              where (select id from anagrafe.users where principal_id = deleted_principals.id limit 1) is not null) then
    raise foreign_key_violation using message = 'a deleted principal has users';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.require_principals()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  if exists (select from added_users
              where (select id from anagrafe.principals where id = added_users.principal_id) is null) then
    raise foreign_key_violation using message = 'a new user has no principal';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION anagrafe.users_named(action text, user_id bigint, registered bigint[], reset bigint[], deleted bigint[], details jsonb)
 RETURNS TABLE(named bigint)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select distinct named from unnest(
    array[user_id] || registered || reset || deleted || case
      when action in ('update', 'state', 'invitations.issued')
      then array(select (item ->> 0)::bigint from jsonb_path_query(
             jsonb_build_array(details -> 'users', details -> 'moved', details -> 'movedAway', details -> 'invited'),
             '$[*][*]') as item)
      when action in ('login', 'login.failed', 'login.reused', 'logout', 'sessions.ended', 'password.forgotten')
      then array[(details ->> 'user')::bigint] end) as named
   where named is not null
$function$;
