#!/usr/bin/env bash
# Sends a file of records as a job, polls it, and saves the failed records: job.sh records.ndjson batch-17
# Run it again with the same file and key to resume: the key returns the same job.
source "$(dirname "$0")/anagrafe.sh"
[[ $# == 2 ]] || { echo 'usage: job.sh <file> <key>' >&2; exit 2; }
file=$1 key=$2

printf '[%s]' "$(paste -sd , "$file")" >"$work/body"
update "$key" "$work/body" --header 'Prefer: respond-async'
if [[ $status != 202 ]]; then
  echo 'This key belongs to a call that was not sent as a job.' >&2
  exit 2
fi
id=$(field ID)

while call GET "/api/sync/v1/jobs/$id?pageSize=1"; do
  echo "job $id: $(field State), $(field UsersDone) of $(field Users) users"
  [[ $(field EndedAt) == null ]] || break
  sleep 1
done
[[ $(field RecordsFailed) != 0 ]] || exit 0

echo "$(field RecordsFailed) records failed. Correct $file.retry, add the passwords, and send it with a new key." >&2
call GET "/api/sync/v1/jobs/$id/failed"
cp "$work/answer" "$file.retry"
exit 1
