# Calls of Anagrafe, each sent until it is answered. For bash, with curl; the programs beside it source it.
set -euo pipefail

if [[ -z "${ANAGRAFE_URL:-}" || -z "${ANAGRAFE_KEY:-}" ]]; then
  echo 'Set ANAGRAFE_URL, and ANAGRAFE_KEY to <public>.<secret>.' >&2
  exit 2
fi

# Only this user may look into it: bodies have passwords.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

attempts=8

# call METHOD PATH [option of curl...]
# Leaves the answer in $work/answer, its headers in $work/headers and its status in $status.
call() {
  local method=$1 path=$2 attempt asked bound
  shift 2
  for ((attempt = 1; ; attempt++)); do
    : >"$work/answer"
    : >"$work/headers"
    # The key is not an argument, since everyone on this machine can read those.
    status=$(curl --silent --show-error --max-time 60 --request "$method" "${ANAGRAFE_URL%/}$path" \
      --config <(printf 'header = "Authorization: Bearer %s"\n' "$ANAGRAFE_KEY") \
      --output "$work/answer" --dump-header "$work/headers" --write-out '%{http_code}' "$@") || status=000
    if ! is_unfinished || ((attempt == attempts)); then break; fi
    asked=$(awk 'tolower($1) == "retry-after:" { seconds = int($2) } END { print seconds + 0 }' "$work/headers")
    # By chance, so that callers who failed together do not come back together.
    bound=$((attempt < 5 ? 1 << attempt : 30))
    sleep $((asked + RANDOM % bound))
  done
  # Every answer has a result but the retry kit, which is an array.
  if ! has_result && [[ $(head -c 1 "$work/answer") != '[' ]]; then
    echo "The call was not done: status $status. $(head -c 500 "$work/answer")" >&2
    exit 2
  fi
}

# update KEY FILE [option of curl...]: sends a file as the body of irs/update.
update() {
  local key=$1 file=$2
  shift 2
  call POST /api/sync/v1/irs/update --header 'Content-Type: application/json' \
    --header "Idempotency-Key: $key" --data-binary @"$file" "$@"
}

# Whether the same call with its key would do more than was done.
is_unfinished() {
  if has_result; then
    grep -qE '"Item2":"(NOT_APPLIED|OUTCOME_UNKNOWN)"' "$work/answer"
  else
    [[ $status =~ ^(000|408|409|429|500|502|503|504)$ ]]
  fi
}

has_result() { grep -q '"result":{' "$work/answer"; }

# The tuples, one on each line, in the order sent. Within a text of JSON a quote has a backslash before it, so that
# what is looked for here, and below, cannot stand in one.
tuples() {
  awk '{ sub(/.*"records":\[/, ""); sub(/\],"record":.*/, ""); gsub(/[}],[{]"Item1"/, "}\n{\"Item1\""); print }' "$work/answer"
}

# field NAME: a field of result.record, without its quotes.
field() { grep -oE "\"$1\":(\"[^\"]*\"|[^,}]*)" "$work/answer" | tail -n 1 | cut -d : -f 2- | tr -d '"'; }

new_key() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Adds to each Password its ConfirmPassword.
confirmed() { sed -E 's/"Password": *("([^"\\]|\\.)*")/&, "ConfirmPassword": \1/g'; }
