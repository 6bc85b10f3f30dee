# HTTP calls with retries, for the other scripts in this folder to source. Needs bash and curl.
set -euo pipefail

if [[ -z "${ANAGRAFE_URL:-}" || -z "${ANAGRAFE_KEY:-}" ]]; then
  echo 'Set ANAGRAFE_URL and ANAGRAFE_KEY (<public key>.<secret key>).' >&2
  exit 2
fi

# mktemp -d creates the directory with mode 0700: request bodies contain passwords.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

attempts=8

# call METHOD PATH [curl option...]
# Stores the response body in $work/answer, the headers in $work/headers and the status code in $status.
call() {
  local method=$1 path=$2 attempt retry_after jitter
  shift 2
  for ((attempt = 1; ; attempt++)); do
    : >"$work/answer"
    : >"$work/headers"
    # Every user of the machine can read command-line arguments, so the key is passed as a config file.
    status=$(curl --silent --show-error --max-time 60 --request "$method" "${ANAGRAFE_URL%/}$path" \
      --config <(printf 'header = "Authorization: Bearer %s"\n' "$ANAGRAFE_KEY") \
      --output "$work/answer" --dump-header "$work/headers" --write-out '%{http_code}' "$@") || status=000
    if ! should_retry || ((attempt == attempts)); then break; fi
    retry_after=$(awk 'tolower($1) == "retry-after:" { seconds = int($2) } END { print seconds + 0 }' "$work/headers")
    # Random jitter, so that clients that failed together do not retry together.
    jitter=$((attempt < 5 ? 1 << attempt : 30))
    sleep $((retry_after + RANDOM % jitter))
  done
  # Every successful answer has a result, except the failed records of a job, which are a JSON array.
  if ! has_result && [[ $(head -c 1 "$work/answer") != '[' ]]; then
    echo "Request failed: status $status. $(head -c 500 "$work/answer")" >&2
    exit 2
  fi
}

# update KEY FILE [curl option...]: sends a file as the body of irs/update.
update() {
  local key=$1 file=$2
  shift 2
  call POST /api/sync/v1/irs/update --header 'Content-Type: application/json' \
    --header "Idempotency-Key: $key" --data-binary @"$file" "$@"
}

# Succeeds if the same call must be sent again: after a transient error, or if a record has no final result.
should_retry() {
  if has_result; then
    grep -qE '"Item2":"(NOT_APPLIED|OUTCOME_UNKNOWN)"' "$work/answer"
  else
    [[ $status =~ ^(000|408|409|429|500|502|503|504)$ ]]
  fi
}

has_result() { grep -q '"result":{' "$work/answer"; }

# Prints one tuple per line, in the order of the records. JSON escapes quotes inside strings, so that the patterns here
# and below cannot match inside a value.
tuples() {
  awk '{ sub(/.*"records":\[/, ""); sub(/\],"record":.*/, ""); gsub(/[}],[{]"Item1"/, "}\n{\"Item1\""); print }' "$work/answer"
}

# field NAME: prints a field of result.record without quotes.
field() { grep -oE "\"$1\":(\"[^\"]*\"|[^,}]*)" "$work/answer" | tail -n 1 | cut -d : -f 2- | tr -d '"'; }

new_key() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Adds a ConfirmPassword to each Password.
confirmed() { sed -E 's/"Password": *("([^"\\]|\\.)*")/&, "ConfirmPassword": \1/g'; }
