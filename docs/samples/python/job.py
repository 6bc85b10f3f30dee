"""Sends a file of records as a job, polls it, and saves the failed records: python3 job.py records.ndjson batch-17

Run it again with the same file and key to resume: the key returns the same job.
"""

import json
import sys
import time
from pathlib import Path

from anagrafe import call, report, update

if len(sys.argv) != 3:
    print("usage: python3 job.py <file> <key>", file=sys.stderr)
    sys.exit(2)

file, key = sys.argv[1:]
body = b"[" + b",".join(Path(file).read_bytes().splitlines()) + b"]"
status, answer = update(body, key, prefer="respond-async")
if status != 202:
    print("This key belongs to a call that was not sent as a job.", file=sys.stderr)
    sys.exit(2)

path = f"/api/sync/v1/jobs/{answer['result']['record']['ID']}"
while True:
    _, answer = call("GET", f"{path}?pageSize=1")
    job = answer["result"]["record"]
    print(f"job {job['ID']}: {job['State']}, {job['UsersDone']} of {job['Users']} users", flush=True)
    if job["EndedAt"]:
        break
    time.sleep(1)

if job["RecordsFailed"]:
    _, failed = call("GET", f"{path}/failed")
    for record in failed:
        report(f"line {record['Position'] + 1}", "This record was not applied.", record["FieldErrors"])
    Path(f"{file}.retry").write_text(json.dumps(failed, indent=2), encoding="utf-8")
    print(f"Correct {file}.retry, add the passwords, and send it with a new key.", file=sys.stderr)
    sys.exit(1)
