"""Resets the passwords of users of a principal, all or none: python3 reset.py 1 <passwords.json"""

import json
import sys
import uuid

from anagrafe import report, update

if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
    print("usage: python3 reset.py <principal ID> <passwords.json", file=sys.stderr)
    sys.exit(2)

users = [{**user, "ConfirmPassword": user["Password"]} for user in json.load(sys.stdin)]
body = json.dumps([{"ID": int(sys.argv[1]), "Users": users}]).encode()
_, answer = update(body, key=str(uuid.uuid4()))

[record] = answer["result"]["records"]
if not record["Item3"]:
    report("No password was reset", record["Item4"], record["Item5"])
    sys.exit(1)
print("The passwords were reset.")
