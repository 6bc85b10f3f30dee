"""Sends many records, one per line of a file, and saves the failed lines: python3 records.py records.ndjson batch-17

Run it again with the same file and key to resume: no record is applied twice.
"""

import sys
from pathlib import Path

from anagrafe import report, update

if len(sys.argv) != 3:
    print("usage: python3 records.py <file> <key>", file=sys.stderr)
    sys.exit(2)

file, key = sys.argv[1:]
lines = Path(file).read_bytes().splitlines()
_, answer = update(b"[" + b",".join(lines) + b"]", key)

tuples = answer["result"]["records"]
print(f"{sum(record['Item3'] for record in tuples)} of {len(tuples)} records were applied.")

# Tuples have the order of the lines.
failed = []
for number, (line, record) in enumerate(zip(lines, tuples), start=1):
    if not record["Item3"]:
        failed.append(line)
        report(f"line {number}", f"{record['Item4']} ({record['Item2']})", record["Item5"])
if failed:
    Path(f"{file}.failed").write_bytes(b"\n".join(failed) + b"\n")
    print(f"Correct {file}.failed and send it with a new key.", file=sys.stderr)
    sys.exit(1)
