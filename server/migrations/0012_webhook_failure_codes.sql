-- Codes with their values replace the English texts that said why a delivery failed or a webhook was disabled.

create function anagrafe.failure_of(failure text) returns jsonb language sql immutable as $body$
  select case
    when failure = 'by hand' then '{"code": "manual"}'
    when failure = 'its client was revoked' then '{"code": "client_revoked"}'
    when failure = 'its client lost the scope admin' then '{"code": "client_lost_admin"}'
    when failure ~ '^the receiver answered \d{1,3}$'
      then jsonb_build_object('code', 'http_status', 'status', substring(failure from '\d+')::int)
    when failure ~ '^no answer within \d{1,5} seconds$'
      then jsonb_build_object('code', 'timeout', 'timeoutMs', substring(failure from '\d+')::int * 1000)
    when failure like 'the address is internal%' then '{"code": "internal_address"}'
    when failure like 'plain http%' then '{"code": "plain_http"}'
    when failure = 'what it tells of is no longer kept' then '{"code": "event_expired"}'
    when failure = 'the name has no address' then '{"code": "name_not_resolved", "networkError": "ENOTFOUND"}'
    else jsonb_build_object('networkError', failure, 'code', case
      when failure = 'ECONNREFUSED' then 'connection_refused'
      when failure in ('ECONNRESET', 'EPIPE') then 'connection_reset'
      when failure = 'ETIMEDOUT' then 'connection_timeout'
      when failure in ('ENOTFOUND', 'EAI_AGAIN') then 'name_not_resolved'
      when failure in ('EHOSTUNREACH', 'ENETUNREACH') then 'unreachable'
      when failure ~ 'CERT|UNABLE_TO|^ERR_TLS|^ERR_SSL|^EPROTO$' then 'tls_error'
      when failure like 'HPE\_%' then 'invalid_response'
      else 'network_error'
    end)
  end
$body$;

alter table anagrafe.deliveries
  add column failure_code text check (failure_code in (
    'http_status', 'timeout', 'connection_refused', 'connection_reset', 'connection_timeout', 'name_not_resolved',
    'unreachable', 'tls_error', 'invalid_response', 'network_error', 'internal_address', 'plain_http', 'event_expired')),
  -- The values of the failure, such as {"networkError": "ECONNREFUSED"}.
  add column failure_details jsonb;

update anagrafe.deliveries
   set failure_code = 'http_status', failure_details = jsonb_build_object('status', status)
 where status not between 200 and 299 and (failure is null or failure = 'the receiver answered with a redirect');
update anagrafe.deliveries
   set failure_code = anagrafe.failure_of(failure) ->> 'code', failure_details = anagrafe.failure_of(failure) - 'code'
 where failure is not null and failure_code is null;

alter table anagrafe.deliveries
  drop column failure,
  add check ((failure_code is null) = (failure_details is null));

alter table anagrafe.webhooks
  add column disabled_reason text check (disabled_reason in (
    'manual', 'client_revoked', 'client_lost_admin',
    'http_status', 'timeout', 'connection_refused', 'connection_reset', 'connection_timeout', 'name_not_resolved',
    'unreachable', 'tls_error', 'invalid_response', 'network_error', 'internal_address', 'plain_http', 'event_expired')),
  add column disabled_details jsonb;

update anagrafe.webhooks
   set disabled_reason = anagrafe.failure_of(disabled_why) ->> 'code',
       disabled_details = anagrafe.failure_of(disabled_why) - 'code'
 where disabled_why is not null;

alter table anagrafe.webhooks
  drop column disabled_why,
  add check ((disabled_reason is null) = (disabled_details is null));

drop function anagrafe.failure_of;
