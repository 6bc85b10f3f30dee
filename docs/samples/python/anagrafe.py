"""Calls of Anagrafe, each sent until it is answered. The programs beside it import it."""

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("ANAGRAFE_URL", "").rstrip("/")
KEY = os.environ.get("ANAGRAFE_KEY", "").strip()
if not URL or not KEY:
    print("Set ANAGRAFE_URL, and ANAGRAFE_KEY to <public>.<secret>.", file=sys.stderr)
    sys.exit(2)

ATTEMPTS = 8
PASSING = {0, 408, 409, 429, 500, 502, 503, 504}


def call(method, path, body=None, headers=None):
    """Gives the status and the answer. Ends the program where the call was refused as a whole."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(URL + path, body, headers, method=method)
    for attempt in range(1, ATTEMPTS + 1):
        status, asked, answer = receive(request)
        if not is_unfinished(status, answer) or attempt == ATTEMPTS:
            break
        # By chance, so that callers who failed together do not come back together.
        time.sleep(asked + random.uniform(0, min(30, 2 ** (attempt - 1))))
    # Every answer has a result but the retry kit, which is an array.
    if isinstance(answer, list) or (answer and answer["result"]):
        return status, answer
    said = answer["message"] if answer else "No answer of the service came."
    print(f"The call was not done: status {status}. {said}", file=sys.stderr)
    sys.exit(2)


def update(body, key, prefer=None):
    """Sends bytes as the body of irs/update. With its key they can be sent any number of times."""
    headers = {"Idempotency-Key": key, **({"Prefer": prefer} if prefer else {})}
    return call("POST", "/api/sync/v1/irs/update", body, headers)


def receive(request):
    """One attempt: the status, 0 where none came; the seconds of Retry-After; the answer, None for any but ours."""
    try:
        try:
            response = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            response = error  # A status from 400 on is an answer too.
        with response:
            asked = response.headers.get("Retry-After", "0")
            return response.status, int(asked) if asked.isdecimal() else 0, parse(response.read())
    except (OSError, http.client.HTTPException):
        return 0, 0, None


def parse(text):
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    return answer if isinstance(answer, list) or (isinstance(answer, dict) and "result" in answer) else None


def is_unfinished(status, answer):
    """Whether the same call with its key would do more than was done."""
    if isinstance(answer, dict) and answer["result"]:
        codes = {record.get("Item2") for record in answer["result"]["records"]}
        return not codes.isdisjoint({"NOT_APPLIED", "OUTCOME_UNKNOWN"})
    return status in PASSING


def report(what, sentence, faults):
    print(f"{what}: {sentence}", file=sys.stderr)
    for place, found in faults.items():
        for fault in found:
            print(f"  {place}: {fault['message']} ({fault['code']})", file=sys.stderr)
