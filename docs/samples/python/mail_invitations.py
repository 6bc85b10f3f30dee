"""Mails the codes of invited users when a job has ended: PORT=8080 WEBHOOK_SECRET=whsec_... python3 mail_invitations.py

For installations whose mail does not go through SMTP. MAIL_COMMAND gets each mail on its standard input, with all headers
(default: /usr/sbin/sendmail -t -i), and MAIL_FROM is the sender. ANAGRAFE_KEY is the key of the client that sends the jobs.
"""

import json
import os
import queue
import shlex
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anagrafe import KEY, URL
from webhook import is_valid

COMMAND = shlex.split(os.environ.get("MAIL_COMMAND", "/usr/sbin/sendmail -t -i"))
SENDER = os.environ.get("MAIL_FROM", "")
if not SENDER:
    print("Set MAIL_FROM to the sender of the mails.", file=sys.stderr)
    sys.exit(2)

TEXTS = {
    "en": (
        "Choose your password",
        "Your username is {Username}. Choose your password on this page:\n\n{URL}\n\nThe link works once.\n",
    ),
    "it": (
        "Scegli la tua password",
        "Il tuo nome utente è {Username}. Scegli la password in questa pagina:\n\n{URL}\n\n"
        "Il link si può usare una sola volta.\n",
    ),
}
ended_jobs = queue.Queue()


def mail_codes(job):
    """Issues the codes of a job and mails them. Codes are neither stored nor printed."""
    url = f"{URL}/api/sync/v1/jobs/{job}/invitations"
    headers = {"Authorization": f"Bearer {KEY}"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers, method="POST"), timeout=60) as lines:
        for line in lines:
            send(json.loads(line))


def send(user):
    if user["Skipped"]:
        return
    name = user["Username"]
    if not user["Email"] or not user["URL"]:
        missing = "email address" if user["URL"] else "link (ANAGRAFE_PUBLIC_URL is not set)"
        print(f"{name}: not mailed, because it has no {missing}", file=sys.stderr, flush=True)
        return
    subject, text = TEXTS["it" if (user["Language"] or "").startswith("it") else "en"]
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = SENDER, user["Email"], subject
    mail.set_content(text.format(**user))
    done = subprocess.run(COMMAND, input=bytes(mail), check=False)
    result = "mailed" if done.returncode == 0 else f"not mailed, because the command ended with {done.returncode}"
    print(f"{name}: {result}", file=sys.stdout if done.returncode == 0 else sys.stderr, flush=True)


def work():
    while True:
        job = ended_jobs.get()
        try:
            mail_codes(job)
        except urllib.error.HTTPError as error:
            # 404: the job of another client.
            if error.code != 404:
                print(f"job {job}: status {error.code}", file=sys.stderr, flush=True)
        except (OSError, ValueError) as error:
            print(f"job {job}: {error}", file=sys.stderr, flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        valid = is_valid(self.headers, body)
        # A message must be answered within 15 seconds, so the mails are sent afterwards.
        self.send_response(204 if valid else 401)
        self.end_headers()
        event = json.loads(body) if valid else {}
        # A message can arrive twice; new codes end those of the first mails, and users with a password get none.
        if event.get("type") == "job.completed":
            ended_jobs.put(event["data"]["JobID"])

    def log_message(self, *_):
        """Disables the access log."""


threading.Thread(target=work, daemon=True).start()
port = int(os.environ.get("PORT", "8080"))
with ThreadingHTTPServer(("127.0.0.1", port), Receiver) as server:
    print(f"listening on http://127.0.0.1:{port}", flush=True)
    server.serve_forever()
