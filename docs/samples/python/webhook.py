"""Takes messages of a webhook and verifies them: PORT=8080 WEBHOOK_SECRET=whsec_... python3 webhook.py"""

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
    print("Set WEBHOOK_SECRET to what was shown when the endpoint was made.", file=sys.stderr)
    sys.exit(2)


def is_genuine(headers, body):
    """Whether these bytes, as they came, were signed with our secret in the last five minutes."""
    identity, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = f"{identity}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    # While a secret is being changed there may be a signature for each.
    given = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(signature, expected) for signature in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers, body)
        if genuine:
            # A message may come twice: do here what is to be done, once for each webhook-id.
            event = json.loads(body)
            print(self.headers["webhook-id"], event["type"], json.dumps(event["data"]), flush=True)
        self.send_response(204 if genuine else 401)
        self.end_headers()

    def log_message(self, *_):
        """Only events are printed."""


port = int(os.environ.get("PORT", "8080"))
with ThreadingHTTPServer(("127.0.0.1", port), Receiver) as server:
    print(f"listening on http://127.0.0.1:{port}", flush=True)
    server.serve_forever()
