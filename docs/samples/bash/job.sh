#!/usr/bin/env bash
# Has a file of records done as a job, watches it, and saves its retry kit: job.sh records.ndjson batch-17
# Run again with the same file and key, it finds the same job.
source "$(dirname "$0")/anagrafe.sh"
[[ $# == 2 ]] || { echo 'usage: job.sh <file> <key>' >&2; exit 2; }
file=$1 key=$2

printf '[%s]' "$(paste -sd , "$file")" >"$work/body"
update "$key" "$work/body" --header 'Prefer: respond-async'
if [[ $status != 202 ]]; then
  echo 'The call with this key was answered at once: it is no job.' >&2
  exit 2
fi
id=$(field ID)

while call GET "/api/sync/v1/jobs/$id?pageSize=1"; do
  echo "job $id: $(field State), $(field UsersDone) of $(field Users) users"
  [[ $(field EndedAt) == null ]] || break
  sleep 1
done
[[ $(field RecordsFailed) != 0 ]] || exit 0

echo "$(field RecordsFailed) records were not applied. Correct $file.retry, fill in the passwords, send it with a new key." >&2
call GET "/api/sync/v1/jobs/$id/failed"
cp "$work/answer" "$file.retry"
exit 1
