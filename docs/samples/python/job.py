"""Has a file of records done as a job, watches it, and saves its retry kit: python3 job.py records.ndjson batch-17

Run again with the same file and key, it finds the same job.
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
    print("The call with this key was answered at once: it is no job.", file=sys.stderr)
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
    _, kit = call("GET", f"{path}/failed")
    for record in kit:
        report(f"line {record['Position'] + 1}", "This record was not applied.", record["Faults"])
    Path(f"{file}.retry").write_text(json.dumps(kit, indent=2), encoding="utf-8")
    print(f"Correct {file}.retry, fill in the passwords, send it with a new key.", file=sys.stderr)
    sys.exit(1)
