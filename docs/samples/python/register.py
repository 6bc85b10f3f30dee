"""Registers users under a principal, all or none: python3 register.py 1 <users.json"""

import json
import sys
import uuid

from anagrafe import report, update

if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
    print("usage: python3 register.py <principal ID> <users.json", file=sys.stderr)
    sys.exit(2)

users = [{**user, "ConfirmPassword": user["Password"]} for user in json.load(sys.stdin)]
body = json.dumps([{"ID": int(sys.argv[1]), "Users": users}]).encode()
_, answer = update(body, key=str(uuid.uuid4()), prefer="return=representation")

[record] = answer["result"]["records"]
if not record["Item3"]:
    report("No user was registered", record["Item4"], record["Item5"])
    sys.exit(1)
for user in record["Item6"]["Users"]:
    print(f"{user['Username']} has the ID {user['ID']}")
