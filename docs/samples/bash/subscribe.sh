#!/usr/bin/env bash
# Creates a webhook endpoint and prints its secret, which the service shows only once:
#   WEBHOOK_SECRET=$(subscribe.sh https://erp.example.com/hooks)
# Needs an API client with the scope admin. It is sent without retries, because a retry could create a second endpoint.
source "$(dirname "$0")/anagrafe.sh"
[[ ${1:-} =~ ^https?://[^\"\\]+$ ]] || { echo 'usage: subscribe.sh <endpoint URL>' >&2; exit 2; }
attempts=1

call POST /admin/v1/webhooks --header 'Content-Type: application/json' \
  --data-binary "{\"URL\":\"$1\",\"Types\":[\"user.registered\",\"user.password_reset\"]}"
field Secret
