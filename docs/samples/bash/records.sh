#!/usr/bin/env bash
# Sends many records, one per line of a file, and saves the failed lines: records.sh records.ndjson batch-17
# Run it again with the same file and key to resume: no record is applied twice.
source "$(dirname "$0")/anagrafe.sh"
[[ $# == 2 ]] || { echo 'usage: records.sh <file> <key>' >&2; exit 2; }
file=$1 key=$2

printf '[%s]' "$(paste -sd , "$file")" >"$work/body"
update "$key" "$work/body"

tuples >"$work/tuples"
echo "$(grep -c '"Item3":true' "$work/tuples" || true) of $(wc -l <"$work/tuples" | tr -d ' ') records were applied."

# Tuples have the order of the lines.
paste -d ' ' <(grep -oE '"Item3":(true|false)' "$work/tuples") "$file" |
  sed -n 's/^"Item3":false //p' >"$work/failed"
[[ -s "$work/failed" ]] || exit 0
cp "$work/failed" "$file.failed"
grep -n '"Item3":false' "$work/tuples" | sed 's/^/line /' >&2
echo "Correct $file.failed and send it with a new key." >&2
exit 1
