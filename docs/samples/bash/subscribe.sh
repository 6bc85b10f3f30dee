#!/usr/bin/env bash
# Has an endpoint told what happens, and prints its secret, which is shown only once:
#   WEBHOOK_SECRET=$(subscribe.sh https://erp.example.com/hooks)
# It needs a client of scope admin. Sent twice it makes two endpoints, so that it is sent once.
source "$(dirname "$0")/anagrafe.sh"
[[ ${1:-} =~ ^https?://[^\"\\]+$ ]] || { echo 'usage: subscribe.sh <URL of the endpoint>' >&2; exit 2; }
attempts=1

call POST /admin/v1/webhooks --header 'Content-Type: application/json' \
  --data-binary "{\"URL\":\"$1\",\"Types\":[\"user.registered\",\"user.password_reset\"]}"
field Secret
