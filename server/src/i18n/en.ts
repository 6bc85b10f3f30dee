import type { Sentences } from '../lib/error-codes.ts';

export const english: Sentences = {
  INVALID_JSON: {
    syntax: 'The body is not valid JSON: it breaks off or goes wrong at character {offset}, counted from 0.',
    empty: 'The body is empty; this call takes JSON.',
    utf8: 'The body is not valid UTF-8.',
    duplicate: 'The field at {at} stands twice in the same object; send it once.',
    surrogate: 'The text at {at} holds half of a surrogate pair, which is no character.',
    number: 'The number at {at} is too large to be read.',
  },
  INVALID_BODY: {
    array: 'The body must be a JSON array of records.',
    empty: 'The array is empty; send at least one record.',
    element: 'Element [{position}] of the array is not an object; every element must be a record.',
    object: 'The body must be a JSON object with the parameters of the call.',
  },
  INVALID_PARAMETER: {
    number: '"{name}" takes a whole number from {min} to {max}.',
    text: '"{name}" takes a text of 1 to {max} characters.',
    texts: '"{name}" takes a list of 1 to {count} texts of 1 to {max} characters.',
    date: '"{name}" takes a date such as 2026-01-31 or 2026-01-31T08:00:00Z.',
    address: '"{name}" takes an IP address, such as 203.0.113.7 or 2001:db8::7.',
    flag: '"{name}" takes true or false.',
    url: '"{name}" takes an http or https address without a username, a password or a fragment.',
    choice: '"{name}" takes {takes}.',
    scopes: '"{name}" takes a list of one or more of {known}.',
    networks: '"{name}" takes a list of up to {max} addresses or networks, such as 10.0.0.0/8.',
    beyond:
      '"{name}" is beyond the last event of this store: it was read elsewhere, or before a backup was restored.',
    after: '"{name}" takes the id of an event, such as 1042.0.',
    key: '"{name}" takes 1 to {max} visible ASCII characters, and is sent once.',
    unknown: '"{name}" is not a parameter of this call.',
    spelling: '"{name}" is not a parameter of this call; did you mean "{meant}"?',
  },
  INVALID_REQUEST: 'This is not a well-formed HTTP request.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HEADERS_TOO_LARGE: 'The headers of the request are too large.',
  UNAUTHENTICATED: {
    missing:
      'A credential is needed: send SyncPublicKey and SyncSecretKey, or Authorization: Bearer <public>.<secret>, or the AccessToken that a login gave.',
    wrong:
      'The credential is not valid: it is unknown, expired or revoked, or may not be used from this address.',
    host: 'A client that is known by its address must call the service by an IP address, as localhost, or by a name in ANAGRAFE_ALLOWED_HOSTS.',
    several: 'Several credentials were sent; send one.',
    token:
      'The access token is no valid credential: it is unknown or has expired, or its session has ended. Sign in again, or refresh it.',
    refresh:
      'The refresh token is unknown, has expired or was used before, or its session has ended; sign in again.',
    login: 'The username or the password is wrong, or the account is disabled.',
    console: 'The session of the console has ended; sign in again.',
    user: 'This is for signed-in users: send the AccessToken that a login gave.',
    closed:
      'No API client exists yet, and without one only direct calls from this machine are served. Create one with: npx --no -- anagrafe client create --name erp',
  },
  FORBIDDEN: {
    address:
      'Only an API client may pass on the address of a user: send its credential with the call, or leave out "Address".',
    scope: 'This credential does not have the scope {scope}, which this call needs.',
    page: 'What is signed in at the console is used by pages of the console alone.',
    owner:
      'The client that owns this webhook is revoked or does not have the scope admin. Give it the scope, or create the webhook with another client.',
    plainly:
      'A signed-in user sends irs/update without Idempotency-Key, Prefer: respond-async and dryRun, and irs/list without Search.',
    user: 'A signed-in user may reset its own password (irs/update, with CurrentPassword), read its own record (irs/list) and sign out; nothing else.',
  },
  NOT_FOUND: 'There is nothing at this path; /docs lists every call.',
  METHOD_NOT_ALLOWED: 'This path takes {allow}.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as Content-Type: application/json, in UTF-8 and not compressed.',
  BODY_TOO_LARGE: {
    bytes: 'The body is larger than {bytes} bytes; send it in several calls.',
    deep: 'The body is nested deeper than {depth} levels, and no record is.',
    values: 'The body holds more than {values} values; send it in several calls.',
    names: 'The body has fields of more different names than any records have.',
  },
  BATCH_TOO_LARGE: {
    answered:
      'The call holds more than {records} records or {users} users. Send it with "Prefer: respond-async", which takes up to {jobUsers} users as a job, or in several calls.',
    job: 'The call holds more than {records} records or {users} users, the most that a job takes; send it in several calls.',
  },
  PARTIALLY_APPLIED: {
    done: '{applied} of {total} records were applied; result.records tells which were not, and why.',
    dry: '{applied} of {total} records would be applied; result.records tells which would not, and why.',
  },
  NOTHING_APPLIED: {
    done: 'No record was applied; result.records tells why.',
    dry: 'No record would be applied; result.records tells why.',
  },
  JOB_NOT_FOUND: 'There is no job with this ID, or it is not yours, or it ended too long ago to be kept.',
  CALL_NOT_FOUND:
    'There is no call with this ID that was answered at once, or it ended too long ago to be kept.',
  WEBHOOK_NOT_FOUND: 'There is no such endpoint, or no such message to it.',
  INVALID_CLIENT: {
    name: 'A client needs a name of one line.',
    networks: 'A client known by address needs at least one network.',
    everyone:
      'The networks of a client known by address must cover at most 1/128 of all addresses: more would let in everyone.',
  },
  CLIENT_ADDRESS_TAKEN: 'Another client is already known by an address of these networks.',
  CLIENT_NOT_FOUND: 'No live client has this public key; GET /admin/v1/clients lists all of them.',
  IDEMPOTENCY_IN_PROGRESS:
    'A call with this Idempotency-Key is being worked on, or was cut off a moment ago; send it again in {seconds} seconds to get its answer.',
  IDEMPOTENCY_KEY_REUSED:
    'This Idempotency-Key was sent with another body or to another path; send the same call again, or take a new key.',
  RATE_LIMITED: {
    calls: 'Too many calls; send the next one in {seconds} seconds.',
    loginThrottle: 'Too many wrong passwords; try again in {seconds} seconds.',
  },
  OVERLOADED:
    'The service has more work than it can do in time; nothing was applied. Send the call again in {seconds} seconds.',
  UNAVAILABLE: 'The database does not answer; nothing was applied. Send the call again in {seconds} seconds.',
  INTERNAL: 'Something went wrong in the service. Its log has the details under the request id {request}.',

  INVALID_RECORD: 'The record has faults; nothing of it was applied.',
  INVALID_USERS: 'The users of the record have faults; nothing of it was applied.',
  PRINCIPAL_NOT_FOUND: {
    id: 'There is no principal with this ID.',
    key: 'There is no principal with this external key.',
  },
  PRINCIPAL_DISABLED: 'This principal is disabled and gets no new users; enable it first.',
  USER_NOT_FOUND: 'This principal has no user with this ID.',
  USERNAME_TAKEN: {
    stored: 'This username is taken.',
    call: 'This username stands earlier in the same call.',
  },
  EXTERNAL_KEY_TAKEN: {
    stored: 'This external key belongs to the principal with ID {id}.',
    call: 'This external key stands in an earlier record of the same call.',
  },
  OUTCOME_UNKNOWN:
    'The connection to the database was lost while the record was being written. A call that had an Idempotency-Key can be sent again with it; else read the record back before sending it again.',
  NOT_APPLIED: 'The database did not take the record; nothing of it was applied. Send it again later.',
  RECORD_FAILED:
    'Something went wrong in the service while the record was written; nothing of it was applied. The log has the details.',
  CANCELLED: 'The job was cancelled before this record was begun; nothing of it was applied.',

  REQUIRED: 'This field is required.',
  MORE_ERRORS: '{count} more fields of this record have errors; they are not listed.',
  UNKNOWN_FIELD: {
    unknown: '"{field}" is not a field of this object.',
    spelling: '"{field}" is not a field of this object; did you mean "{known}"?',
    more: 'This object has {count} more fields that are not known.',
  },
  WRONG_TYPE: {
    string: 'This must be a string.',
    array: 'This must be an array.',
    object: 'This must be an object.',
  },
  INVALID_ID: 'An ID is a whole number from 1 to 9007199254740991, not a string.',
  INVALID_STATE: 'A state is "active" or "disabled".',
  NO_USERS: 'Send at least one user.',
  AMBIGUOUS_PRINCIPAL: 'A principal is named by its ID or by its ExternalKey; send one of the two.',
  AMBIGUOUS_USER:
    'A user with a Username is a registration, one with an ID a password reset; send one of the two.',
  UNRECOGNISED_USER: 'A user needs a Username, to be registered, or an ID, to have its password reset.',
  DUPLICATE_USER: 'The same user stands twice in this record.',
  EMPTY_PRINCIPAL: 'A principal needs at least one of {fields}.',
  TEXT_EMPTY: {
    optional: 'This must not be empty; send null or leave the field out.',
    required: 'This must not be empty.',
  },
  TEXT_TOO_LONG: 'This may have at most {max} characters.',
  TEXT_CHARACTERS: 'This holds a control character, or an invisible one.',
  USERNAME_TOO_LONG: 'A username may have at most {max} characters.',
  USERNAME_SPACES: 'A username may not begin or end with a space, nor hold two spaces in a row.',
  USERNAME_CHARACTERS: 'This username holds a character that usernames may not have.',
  USERNAME_DIRECTION:
    'This username mixes left-to-right and right-to-left characters in a way that cannot be shown safely.',
  EMAIL_INVALID: 'This is not an email address.',
  EMAIL_TOO_LONG: 'An email address may have at most {max} characters.',
  PASSWORD_TOO_SHORT: 'A password must have at least {min} characters.',
  PASSWORD_TOO_LONG: 'A password may have at most {max} characters.',
  PASSWORD_CHARACTERS: 'This password holds a control character or one that is not in use.',
  PASSWORD_COMMON: 'This password is one of the most used ones and would be guessed at once.',
  PASSWORD_IS_USERNAME: 'The password must not be the username.',
  PASSWORD_IS_EMAIL: 'The password must not be the email address or the part before its @.',
  PASSWORD_MISMATCH: 'ConfirmPassword differs from Password.',
  PASSWORD_BESIDE_HASH:
    'PasswordHash stands in place of Password and ConfirmPassword; send one or the other.',
  PASSWORD_HASH_INVALID:
    'This is not a password hash of a form that is taken: argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity, with nothing before or after it.',
  PASSWORD_HASH_COST: {
    memory: 'This {algorithm} hash takes {found} KiB of memory; from {min} to {max} KiB are allowed.',
    passes: 'This {algorithm} hash makes {found} passes; with its memory, from {min} to {max} are allowed.',
    parallelism: 'This {algorithm} hash has a parallelism of {found}; from {min} to {max} is allowed.',
    cost: 'This {algorithm} hash has a cost of {found}; from {min} to {max} is allowed.',
    iterations:
      'This {algorithm} hash has {found} iterations; with its key length, from {min} to {max} are allowed.',
  },
  CURRENT_PASSWORD_WRONG: 'This is not the current password.',

  TAKEN_AS_JOB: 'The call was taken as job {id}; GET {location} tells how it goes.',
};
