#!/usr/bin/env bash
# Takes a message of a webhook and verifies it, as a CGI program of any web server; it needs openssl.
# The secret is in WEBHOOK_SECRET; verified events go to the log, which is standard error.
set -euf -o pipefail

answer() {
  printf 'Status: %s\r\n\r\n' "$1"
  exit 0
}

id=${HTTP_WEBHOOK_ID:-} timestamp=${HTTP_WEBHOOK_TIMESTAMP:-} signatures=${HTTP_WEBHOOK_SIGNATURE:-}
body=$(mktemp)
trap 'rm -f "$body"' EXIT
# The bytes as they came: a body that was parsed and written anew has another signature.
head -c "${CONTENT_LENGTH:-0}" >"$body"

[[ $timestamp =~ ^[0-9]{1,12}$ ]] || answer '401 Unauthorized'
age=$(($(date +%s) - 10#$timestamp))
((age <= 300 && age >= -300)) || answer '401 Unauthorized'

# openssl takes the key as an argument, which others on this machine can see for a moment: run it where there are none.
hexkey=$(printf '%s' "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$id" "$timestamp"; cat "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$hexkey" -binary | openssl base64 -A)

# While a secret is being changed there may be a signature for each. Digests are compared in place of the signatures,
# so that the time it takes tells nothing about the right one.
digest() { printf '%s' "$1" | openssl dgst -sha256 -r; }
for signature in $signatures; do
  if [[ $(digest "$signature") == "$(digest "v1,$expected")" ]]; then
    # A message may come twice: do here what is to be done, once for each webhook-id.
    echo "$id $(cat "$body")" >&2
    answer '204 No Content'
  fi
done
answer '401 Unauthorized'
