#!/usr/bin/env bash
# Registers users under a principal, all or none: register.sh 1 <users.json
source "$(dirname "$0")/anagrafe.sh"
principal=${1:-}
[[ $principal =~ ^[0-9]+$ ]] || { echo 'usage: register.sh <principal ID> <users.json' >&2; exit 2; }

printf '[{"ID":%s,"Users":%s}]' "$principal" "$(confirmed)" >"$work/body"
update "$(new_key)" "$work/body" --header 'Prefer: return=representation'

if [[ $status != 200 ]]; then
  echo "No user was registered: $(tuples)" >&2
  exit 1
fi
tuples | grep -oE '"ID":[0-9]+,"Username":"([^"\\]|\\.)*"' |
  sed -E 's/"ID":([0-9]+),"Username":"(.*)"/\2 has the ID \1/'
