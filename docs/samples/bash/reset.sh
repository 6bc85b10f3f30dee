#!/usr/bin/env bash
# Resets the passwords of users of a principal, all or none: reset.sh 1 <passwords.json
source "$(dirname "$0")/anagrafe.sh"
principal=${1:-}
[[ $principal =~ ^[0-9]+$ ]] || { echo 'usage: reset.sh <principal ID> <passwords.json' >&2; exit 2; }

printf '[{"ID":%s,"Users":%s}]' "$principal" "$(confirmed)" >"$work/body"
update "$(new_key)" "$work/body"

if [[ $status != 200 ]]; then
  echo "No password was reset: $(tuples)" >&2
  exit 1
fi
echo "The passwords were reset."
