#!/usr/bin/env bash
# Sends many records, one on each line of a file, and keeps what failed: records.sh records.ndjson batch-17
# Run again with the same file and key, it carries on and does nothing twice.
source "$(dirname "$0")/anagrafe.sh"
[[ $# == 2 ]] || { echo 'usage: records.sh <file> <key>' >&2; exit 2; }
file=$1 key=$2

printf '[%s]' "$(paste -sd , "$file")" >"$work/body"
update "$key" "$work/body"

tuples >"$work/tuples"
echo "$(grep -c '"Item3":true' "$work/tuples" || true) of $(wc -l <"$work/tuples" | tr -d ' ') records were applied."

# The tenth tuple belongs to the tenth line.
paste -d ' ' <(grep -oE '"Item3":(true|false)' "$work/tuples") "$file" |
  sed -n 's/^"Item3":false //p' >"$work/failed"
[[ -s "$work/failed" ]] || exit 0
cp "$work/failed" "$file.failed"
grep -n '"Item3":false' "$work/tuples" | sed 's/^/line /' >&2
echo "Correct $file.failed and send it with a new key." >&2
exit 1
