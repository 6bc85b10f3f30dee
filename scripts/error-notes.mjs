/** The usual cause of each error code, and what to do about it, for docs/errors.md. */
export const errorNotes = {
  INVALID_JSON: [
    'The body was cut off, has a trailing comma, or is in Windows-1252 instead of UTF-8.',
    'Build the body with a JSON library. The character in the message is where reading ended.',
  ],
  INVALID_BODY: [
    'The records are wrapped in an object, or one record was sent without the array around it.',
    'Send `[{…}, {…}]`, also for one record.',
  ],
  INVALID_PARAMETER: [
    'A query parameter or header is misspelt, outside of its range, or does not apply to this request.',
    'The message names the parameter and its values. Each page of the [API reference](api/README.md) lists the parameters of its request.',
  ],
  INVALID_REQUEST: [
    'The `Host` header is missing, or a proxy speaks HTTP/2 to the service.',
    'Configure the proxy to use HTTP/1.1 towards the service.',
  ],
  REQUEST_TIMEOUT: [
    'The connection was slow or broke while the body was sent.',
    'Send the request again, with the same `Idempotency-Key`.',
  ],
  HEADERS_TOO_LARGE: [
    'Cookies of other applications on the same host are sent along.',
    'Send only the headers that the request needs.',
  ],
  UNAUTHENTICATED: [
    'The credential is missing, mistyped, revoked, or used from an address outside of the networks of its client. A valid access token ends with the session of its user.',
    'Check the client with `npx --no -- anagrafe client list`. After a sign-in, use the refresh token or sign in again.',
  ],
  FORBIDDEN: [
    'The client lacks a scope, or the operator a role.',
    'Give the client the scope that the message names: `npx --no -- anagrafe client update`. [Roles](roles.md) lists what each role may do.',
  ],
  NOT_FOUND: [
    'The path is misspelt, or a proxy removes a part of it.',
    'Compare the path with [all operations](api/README.md).',
  ],
  METHOD_NOT_ALLOWED: [
    'A call was sent with GET, or a read with POST.',
    'Use a method of the `Allow` header.',
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    'The HTTP library sends a form by default, or compresses the body.',
    'Set `Content-Type: application/json`, and send the body uncompressed.',
  ],
  BODY_TOO_LARGE: [
    'The body is larger than `ANAGRAFE_MAX_BODY_BYTES`, or nested deeper than `ANAGRAFE_MAX_DEPTH`.',
    'Split the records over several calls. Send no nested objects other than those of the documented fields.',
  ],
  BATCH_TOO_LARGE: [
    'A synchronous call has more than 1,000 records or users, or a job more than 100,000.',
    'Send it as a [job](guides/jobs.md), or split it.',
  ],
  PARTIALLY_APPLIED: [
    'Some records have errors. The others are applied and stay applied.',
    'Read the tuples whose `Item3` is false. Correct and send only those.',
  ],
  NOTHING_APPLIED: [
    'Every record has errors, and the errors differ.',
    'Read `Item2` and `Item5` of each tuple.',
  ],
  CODE_INVALID: [
    'The code was used, has expired, was replaced by a newer one, or was copied incompletely.',
    'Issue a new code with [`irs/invite`](api/invite.md), or let the user ask for one with "Forgot your password?".',
  ],
  NO_MAIL_SERVER: [
    'No mail server is set.',
    'Set [`ANAGRAFE_SMTP_URL`](settings.md) and `ANAGRAFE_MAIL_FROM`, or hand out codes with `"Invite": "code"`.',
  ],
  PASSWORD_REFUSED: [
    'The new password is too short, too common, or was used before.',
    'Show the user the messages of `FieldErrors`, and send another password with the same code.',
  ],
  JOB_NOT_ENDED: [
    'The failed records or the codes of a job were asked for while it runs.',
    'Poll `GET jobs/{id}` until `State` is `completed`, or [cancel](api/jobs.md) the job.',
  ],
  JOB_NOT_FOUND: [
    'The ID is wrong, the job belongs to another client, or it ended more than `ANAGRAFE_JOB_DAYS` ago.',
    'Read the job with the client that submitted it, or with one that has the scope `admin`.',
  ],
  RUN_NOT_FOUND: [
    'The ID of the run is wrong, or its calls have been deleted.',
    'List the runs with `GET /admin/v1/runs`.',
  ],
  RUN_NOT_ENDED: [
    'A job of the import is still running, or was stopped and not resumed.',
    'Wait for the job, cancel it, or run the import command again.',
  ],
  RUN_TOO_OLD: [
    'The run is older than `ANAGRAFE_UNDO_DAYS`; its old values are deleted.',
    'Correct the data with another file, or restore single values from the history of a principal.',
  ],
  NOTHING_TO_UNDO: [
    'Every record of the run failed or was unchanged, or the run was a dry run.',
    'Nothing needs to be done.',
  ],
  AUDIT_ROW_NOT_FOUND: [
    'The row was deleted after `ANAGRAFE_AUDIT_DAYS`, or the position was never used.',
    'Read the page of the [audit log](api/admin.md) again.',
  ],
  CALL_NOT_FOUND: [
    'The call is older than `ANAGRAFE_JOB_DAYS`, or the ID is that of a job.',
    'Look for it at `GET /admin/v1/jobs`.',
  ],
  WEBHOOK_NOT_FOUND: [
    'The endpoint or the delivery was deleted.',
    'List the endpoints with `GET /admin/v1/webhooks`.',
  ],
  SESSION_NOT_FOUND: [
    'The session has ended meanwhile, or the user was deleted.',
    'Read the list of sessions again.',
  ],
  INVALID_CLIENT: [
    'A field of the client or operator is empty or not allowed.',
    'The message names the field. Networks are written as `10.0.0.0/8`.',
  ],
  CLIENT_ADDRESS_TAKEN: [
    'Two clients that are identified by IP address would share an address, so the service could not tell them apart.',
    'Narrow one of the two networks, or let one of the clients use keys.',
  ],
  OPERATOR_EMAIL_TAKEN: [
    'The person is an operator already, perhaps a disabled one.',
    'Change or reset that operator.',
  ],
  OPERATOR_NOT_FOUND: [
    'The operator was deleted, or the session has ended meanwhile.',
    'List the operators again.',
  ],
  LAST_ADMINISTRATOR: [
    'Without this operator, no person could manage operators any more.',
    'Make another operator `admin` first.',
  ],
  CONFIRMATION_REQUIRED: [
    'The action is irreversible or reveals hashes, and the last confirmation is too old.',
    'Confirm with the password or a code, then repeat the request. The console asks by itself.',
  ],
  SECOND_FACTOR_REQUIRED: [
    'The operator has a second factor.',
    'Send the six digits of the authenticator, or a recovery code. Without both, `npx --no -- anagrafe operator reset` on the machine of the service helps.',
  ],
  CLIENT_NOT_FOUND: [
    'The public key is misspelt, or its client is revoked.',
    'List the clients with `npx --no -- anagrafe client list`.',
  ],
  IDEMPOTENCY_IN_PROGRESS: [
    'The first call still runs, or its node was stopped a moment ago.',
    'Send the same call with the same key after `Retry-After`.',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    'One key was used for two different calls, or the body is built in another order each time.',
    'Use a new key for each call, and repeat a call byte for byte. See [idempotency](guides/idempotency.md).',
  ],
  TOO_MANY_REMOVALS: [
    'The file or the records are incomplete, or many people left at once.',
    'Check whether the data is complete. Then apply the plan of a dry run with `If-Match`.',
  ],
  RATE_LIMITED: [
    'The client sends more calls than `ANAGRAFE_CALLS_PER_MINUTE`, or has too many open jobs; or wrong passwords or codes are delayed.',
    'Wait as long as `Retry-After` says. Put more records into each call.',
  ],
  OVERLOADED: [
    'More passwords wait than the processor hashes within `ANAGRAFE_MAX_WAIT_SECONDS`.',
    'Repeat the call after `Retry-After`. Send large calls as [jobs](guides/jobs.md), which wait in the queue.',
  ],
  UNAVAILABLE: [
    'PostgreSQL is restarting, fails over, or cannot be reached; or another call holds a lock.',
    'Repeat the call with the same `Idempotency-Key`. If it lasts, see `/health/ready` and the log.',
  ],
  INTERNAL: ['An unexpected error in the service.', 'Look for the request ID in the log, and report it.'],
  INVALID_RECORD: [
    'Fields of the principal, and perhaps of its users, are invalid.',
    'Correct the fields of `Item5`, and send the record again.',
  ],
  INVALID_USERS: [
    'Only users of the record are invalid. The record is applied completely or not at all, so none of its users was.',
    'Correct the users named in `Item5`, and send the whole record again.',
  ],
  RECORD_TOO_LARGE: [
    'A principal has more users than one record may have.',
    'Send several records of the same principal in one call.',
  ],
  PRINCIPAL_NOT_FOUND: [
    'The principal was never inserted, was deleted, or is known by another key.',
    'Insert it with [`irs/insert`](api/insert.md), or use [`irs/upsert`](api/upsert.md), which inserts what is missing.',
  ],
  PRINCIPAL_DISABLED: [
    'The principal was disabled, for example because it was missing in a file.',
    'Enable it with [`irs/state`](api/state.md), or leave the record out.',
  ],
  USER_NOT_FOUND: [
    'The user was deleted, renamed or moved, or belongs to another principal.',
    'Find it with `irs/users` and `Username`.',
  ],
  USERNAME_TAKEN: [
    'The user is registered already, here or under another principal.',
    'Reset its password with `"Operation": "reset"`, take it over with `"Operation": "move"`, or choose another username.',
  ],
  EXTERNAL_KEY_TAKEN: [
    'The principal was inserted before.',
    'Change it with `irs/update` or [`irs/upsert`](api/upsert.md).',
  ],
  LOOKS_LIKE_ANOTHER: [
    'A spreadsheet has removed leading zeros of the key, or the company has two keys.',
    'Correct the key. If both are right, send `"Similar": "allow"`, or [merge](api/merge.md) the two.',
  ],
  SAME_PRINCIPAL: [
    'Both keys name one principal; one of them may be an alias from an earlier merge.',
    'Leave the record out.',
  ],
  DUPLICATE_PRINCIPAL: [
    'The call has two records of one principal where only one is allowed.',
    'Combine them.',
  ],
  DIFFERS_FROM_STORED: [
    'The stored value was changed since the file was made.',
    'Decide which value is right. Read the stored one with `irs/list`.',
  ],
  PLAN_OUTDATED: [
    'Somebody has changed the same data between the dry run and the call.',
    'Make a new plan with `dryRun=true`.',
  ],
  OUTCOME_UNKNOWN: [
    'PostgreSQL was lost at the moment of the commit.',
    'Repeat the call with the same `Idempotency-Key`: it returns what has happened, and applies only what is missing.',
  ],
  NOT_APPLIED: [
    'The database was not available or busy, or an earlier record of the same principal failed.',
    'Send the record again.',
  ],
  RECORD_FAILED: [
    'An unexpected error in the service.',
    'Look for the request ID in the log, and report it.',
  ],
  CANCELLED: ['Somebody cancelled the job.', 'Send the record again if it is still wanted.'],
  REQUIRED: ['The field is absent, null or empty.', 'Send it.'],
  MORE_ERRORS: [
    'The record has more than 1,000 fields with errors.',
    'Correct the listed ones, and send the record again to see the others.',
  ],
  UNKNOWN_FIELD: [
    'The name is misspelt, or the operation does not take this field.',
    'Each page of the [API reference](api/README.md) lists the fields. A field that is null counts as absent.',
  ],
  WRONG_TYPE: [
    'A number or a flag was sent as a text, or the other way round.',
    'Send the type that the message names.',
  ],
  INVALID_ID: ['The ID was sent as a text, or is 0.', 'Send the `Item1` of the insert, as a number.'],
  INVALID_STATE: [
    'The state is that of another system, such as `A` or `1`.',
    'Send `active` or `disabled`. Imports translate the usual values.',
  ],
  INVALID_SIMILAR: [
    'The field has another value than its only one.',
    'Send `"Similar": "allow"`, or omit it.',
  ],
  INVALID_OPERATION: [
    'The operation is misspelt, or does not exist in this call.',
    'Send one of the operations in the message. Without `Operation`, the fields of the user select it.',
  ],
  NO_USERS: ['`Users` is an empty array.', 'Send users, or leave the record out.'],
  NOT_PERMITTED: [
    'An operator with the role `desk` sent something else than a reset.',
    'Ask an operator with the role `editor`.',
  ],
  AMBIGUOUS_PRINCIPAL: [
    'Both `ID` and `ExternalKey` were sent.',
    'Send one of them. To change the key, send `NewExternalKey`.',
  ],
  AMBIGUOUS_USER: [
    'Both `ID` and `Username` were sent.',
    'Send `Username` alone to register, `ID` alone to reset; or say which with `Operation`.',
  ],
  UNRECOGNISED_USER: ['The user has neither `ID` nor `Username`.', 'Send one of them.'],
  DUPLICATE_USER: ['One user occurs twice, perhaps once by `ID` and once by `Username`.', 'Combine the two.'],
  EMPTY_PRINCIPAL: [
    'The principal has no name, key or number, so that no one could find it.',
    'Send at least one of the fields in the message.',
  ],
  TEXT_EMPTY: [
    'The text is empty or has only spaces.',
    'Omit the field. Where the API reference says that `""` clears a field, it does so in `irs/update` and `irs/upsert`.',
  ],
  TEXT_TOO_LONG: ['The text is longer than its maximum.', 'Shorten it.'],
  TEXT_CHARACTERS: [
    'The text was copied from a document, with line breaks or invisible characters.',
    'Remove them.',
  ],
  USERNAME_TOO_LONG: ['The username is longer than its maximum.', 'Choose a shorter one.'],
  USERNAME_SPACES: ['The column of the file has trailing spaces.', 'Remove them.'],
  USERNAME_CHARACTERS: [
    'The username has a control character, a symbol that looks like a letter, or another character that is not allowed.',
    'Use letters, digits and the usual punctuation.',
  ],
  USERNAME_DIRECTION: ['Letters of a right-to-left script are mixed with others.', 'Use one script.'],
  EMAIL_INVALID: ['The field has a name, two addresses, or a space.', 'Send one address without a name.'],
  EMAIL_TOO_LONG: ['The address is longer than mail servers accept.', 'Send a shorter one.'],
  LANGUAGE_INVALID: ['The language is a name or a country, such as `Italian`.', 'Send a tag such as `it`.'],
  ATTRIBUTES_TOO_MANY: ['A user has more attributes than allowed.', 'Leave out those that no program reads.'],
  ATTRIBUTE_NAME: ['The name has an accent, a space or a symbol.', 'Rename it. Imports do so by themselves.'],
  ATTRIBUTE_TOO_LONG: [
    'The value is a document rather than an attribute.',
    'Store it elsewhere, and its address here.',
  ],
  TAGS_TOO_MANY: ['A principal has more tags than allowed.', 'Remove some.'],
  TAG_INVALID: [
    'The tag has capitals, spaces or accents.',
    'Use lower-case letters, digits, dots, hyphens and underscores.',
  ],
  TAG_NOT_PERMITTED: [
    'The client is limited by tags, and would lose or hand over a principal.',
    'Let a client without limits change the tags. See [limited clients](guides/limited-clients.md).',
  ],
  PASSWORD_TOO_SHORT: [
    'The password is shorter than `ANAGRAFE_PASSWORD_MIN`.',
    'Choose a longer one; a short sentence is easy to remember.',
  ],
  PASSWORD_TOO_LONG: [
    'The password is longer than its maximum. It is never cut off.',
    'Choose a shorter one.',
  ],
  PASSWORD_CHARACTERS: ['A tab or line break was copied along.', 'Remove it.'],
  PASSWORD_COMMON: [
    'The password is in a list of those that attackers try first, or in `ANAGRAFE_PASSWORD_BLOCKLIST`.',
    'Choose another one.',
  ],
  PASSWORD_IS_USERNAME: ['The password is the username.', 'Choose another one.'],
  PASSWORD_IS_EMAIL: ['The password is the email address or a part of it.', 'Choose another one.'],
  PASSWORD_MISMATCH: ['The two fields differ, often by a space.', 'Send both from one variable.'],
  PASSWORD_BESIDE_HASH: ['A user has both a password and a hash.', 'Send one of them.'],
  PASSWORD_HASH_INVALID: [
    'The hash has another format, or was cut off by a column that is too short.',
    '[Password hashes](guides/password-hashes.md) lists the formats. Invite users whose hashes cannot be imported.',
  ],
  PASSWORD_HASH_COST: [
    'The hash is too weak to be safe, or so expensive that one sign-in would block others.',
    'Invite these users, or reset their passwords.',
  ],
  PASSWORD_REUSED: ['The user has chosen one of its last passwords.', 'Choose another one.'],
  INVALID_INVITE: ['The value is misspelt.', 'Send `"email"` or `"code"`.'],
  INVITE_BESIDE_PASSWORD: ['A user has both an invitation and a password or hash.', 'Send one of them.'],
  CANNOT_INVITE: [
    'No mail server is set, the user has no email address or is disabled, or the answer could not contain the code.',
    'The message says which. See [invitations](api/invite.md).',
  ],
  CURRENT_PASSWORD_WRONG: [
    'The user mistyped its present password.',
    'Let it try again, or use "Forgot your password?".',
  ],
};
