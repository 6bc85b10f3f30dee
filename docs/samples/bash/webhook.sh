#!/usr/bin/env bash
# Receives and verifies a webhook message, as a CGI program of any web server. Needs openssl.
# Set WEBHOOK_SECRET to the secret of the endpoint. Verified events are written to standard error, the server log.
set -euf -o pipefail

answer() {
  printf 'Status: %s\r\n\r\n' "$1"
  exit 0
}

id=${HTTP_WEBHOOK_ID:-} timestamp=${HTTP_WEBHOOK_TIMESTAMP:-} signatures=${HTTP_WEBHOOK_SIGNATURE:-}
body=$(mktemp)
trap 'rm -f "$body"' EXIT
# The signature covers the raw bytes: a body that is parsed and serialised again has another signature.
head -c "${CONTENT_LENGTH:-0}" >"$body"

[[ $timestamp =~ ^[0-9]{1,12}$ ]] || answer '401 Unauthorized'
age=$(($(date +%s) - 10#$timestamp))
((age <= 300 && age >= -300)) || answer '401 Unauthorized'

# The key is an argument of openssl, which other users of the machine can see for a moment: use a machine without any.
hexkey=$(printf '%s' "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$id" "$timestamp"; cat "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$hexkey" -binary | openssl base64 -A)

# During a secret rotation there is one signature per secret. Digests are compared instead of the signatures, so that
# the time of the comparison does not reveal the expected signature.
digest() { printf '%s' "$1" | openssl dgst -sha256 -r; }
for signature in $signatures; do
  if [[ $(digest "$signature") == "$(digest "v1,$expected")" ]]; then
    # Process the event here. A message can arrive twice: process each webhook-id once.
    echo "$id $(cat "$body")" >&2
    answer '204 No Content'
  fi
done
answer '401 Unauthorized'
