"""Receives and verifies webhook messages: PORT=8080 WEBHOOK_SECRET=whsec_... python3 webhook.py"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "").strip()
if not SECRET.startswith("whsec_"):
    print("Set WEBHOOK_SECRET to the secret of the endpoint (whsec_...).", file=sys.stderr)
    sys.exit(2)


def is_valid(headers, body):
    """Returns True if the raw bytes of the body were signed with the secret within the last five minutes."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    # During a secret rotation there is one signature per secret.
    signatures = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(signature, expected) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        valid = is_valid(self.headers, body)
        if valid:
            # Process the event here. A message can arrive twice: process each webhook-id once.
            event = json.loads(body)
            print(self.headers["webhook-id"], event["type"], json.dumps(event["data"]), flush=True)
        self.send_response(204 if valid else 401)
        self.end_headers()

    def log_message(self, *_):
        """Disables the access log, so that only events are printed."""


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8080"))
    with ThreadingHTTPServer(("127.0.0.1", port), Receiver) as server:
        print(f"listening on http://127.0.0.1:{port}", flush=True)
        server.serve_forever()
