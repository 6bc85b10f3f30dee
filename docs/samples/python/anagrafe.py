"""HTTP calls with retries, for the other programs in this folder to import."""

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
    print("Set ANAGRAFE_URL and ANAGRAFE_KEY (<public key>.<secret key>).", file=sys.stderr)
    sys.exit(2)

ATTEMPTS = 8
# Transient errors; 0 means that there was no response.
RETRIED_STATUSES = {0, 408, 409, 429, 500, 502, 503, 504}


def call(method, path, body=None, headers=None):
    """Returns the status and the answer. Exits if the service rejected the call as a whole."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(URL + path, body, headers, method=method)
    for attempt in range(1, ATTEMPTS + 1):
        status, retry_after, answer = receive(request)
        if not should_retry(status, answer) or attempt == ATTEMPTS:
            break
        # Random jitter, so that clients that failed together do not retry together.
        time.sleep(retry_after + random.uniform(0, min(30, 2 ** (attempt - 1))))
    # Every successful answer has a result, except the failed records of a job, which are an array.
    if isinstance(answer, list) or (answer and answer["result"]):
        return status, answer
    message = answer["message"] if answer else "No answer from the service."
    print(f"Request failed: status {status}. {message}", file=sys.stderr)
    sys.exit(2)


def update(body, key, prefer=None):
    """Sends bytes as the body of irs/update. The key makes it safe to send them again."""
    headers = {"Idempotency-Key": key, **({"Prefer": prefer} if prefer else {})}
    return call("POST", "/api/sync/v1/irs/update", body, headers)


def receive(request):
    """Makes one attempt. Returns the status (0: no response), Retry-After in seconds, and the answer.

    The answer is None if it does not come from the service, for example if it is the error page of a proxy.
    """
    try:
        try:
            response = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            response = error  # urllib raises 4xx and 5xx, but their bodies have results too.
        with response:
            retry_after = response.headers.get("Retry-After", "0")
            seconds = int(retry_after) if retry_after.isdecimal() else 0
            return response.status, seconds, parse(response.read())
    except (OSError, http.client.HTTPException):
        return 0, 0, None


def parse(text):
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    return answer if isinstance(answer, list) or (isinstance(answer, dict) and "result" in answer) else None


def should_retry(status, answer):
    """Returns True after a transient error, or if a record has no final result."""
    if isinstance(answer, dict) and answer["result"]:
        codes = {record.get("Item2") for record in answer["result"]["records"]}
        return not codes.isdisjoint({"NOT_APPLIED", "OUTCOME_UNKNOWN"})
    return status in RETRIED_STATUSES


def report(label, message, field_errors):
    print(f"{label}: {message}", file=sys.stderr)
    for path, errors in field_errors.items():
        for error in errors:
            print(f"  {path}: {error['message']} ({error['code']})", file=sys.stderr)
