import { fieldTexts } from './en-fields.ts';

// The texts of the error codes, which define the codes. A code never changes its meaning; its text may change. `{name}` is
// replaced by a figure. A code with several texts has one for each variant.

/** Codes of a call: the `errorCode` of the envelope. */
export const callTexts = {
  INVALID_JSON: {
    syntax:
      'The body is not valid JSON: syntax error or unexpected end at character {offset}, counted from 0.',
    empty: 'The body is empty. Send a JSON body.',
    utf8: 'The body is not valid UTF-8. Send it in UTF-8.',
    duplicate: 'The field at {at} occurs twice in the same object. Send it once.',
    surrogate:
      'The string at {at} contains an unpaired surrogate, which is not a valid character. Remove it.',
    number: 'The number at {at} is out of range.',
  },
  INVALID_BODY: {
    array: 'The body must be a JSON array of records.',
    empty: 'The array is empty. Send at least one record.',
    element: 'Element [{position}] of the array is not an object. Every element must be a record.',
    object: 'The body must be a JSON object with the parameters of the request.',
  },
  INVALID_PARAMETER: {
    number: '"{name}" must be an integer from {min} to {max}.',
    text: '"{name}" must be a string of 1 to {max} characters.',
    texts: '"{name}" must be an array of 1 to {count} strings of 1 to {max} characters.',
    date: '"{name}" must be a date such as 2026-01-31 or 2026-01-31T08:00:00Z.',
    address: '"{name}" must be an IP address such as 203.0.113.7 or 2001:db8::7.',
    flag: '"{name}" must be true or false.',
    url: '"{name}" must be an http or https URL without username, password or fragment.',
    internalUrl:
      '"{name}" has an internal address, to which no event is sent. Use a public address, or add its network to ANAGRAFE_WEBHOOK_NETWORKS.',
    plainUrl:
      '"{name}" must begin with https. Plain http is possible only in the networks of ANAGRAFE_WEBHOOK_NETWORKS.',
    choice: 'Allowed values of "{name}": {takes}.',
    scopes: '"{name}" must be an array with at least one of these values: {known}.',
    networks: '"{name}" must be an array of up to {max} IP addresses or networks, such as 10.0.0.0/8.',
    exclusive: '"{name}" and "{other}" cannot be combined. Send only one of them.',
    beyond:
      '"{name}" is later than the last event. It was read from another database, or before a backup was restored. Omit it to read from the first event.',
    after: '"{name}" must be the ID of an event, such as 1042.0.',
    dryRun: '"{name}" can only be used with dryRun=true.',
    needs: '"{name}" can only be used with {other}.',
    uuid: '"{name}" must be a UUID such as 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10.',
    plan: '"{name}" must be the Plan of a dry run, in double quotes.',
    key: '"{name}" must be sent once and have 1 to {max} visible ASCII characters.',
    unknown: 'Unknown parameter "{name}".',
    spelling: 'Unknown parameter "{name}". Did you mean "{meant}"?',
  },
  INVALID_REQUEST: 'The request is not valid HTTP.',
  REQUEST_TIMEOUT: 'The request did not arrive in time. Send it again.',
  HEADERS_TOO_LARGE: 'The headers of the request are larger than 16 KiB.',
  UNAUTHENTICATED: {
    missing:
      'A credential is required. Send the headers SyncPublicKey and SyncSecretKey, or Authorization: Bearer <public>.<secret>, or the AccessToken of a signed-in user.',
    wrong:
      'The credential is not valid: it is unknown, expired or revoked, or not allowed from this IP address.',
    host: 'A client that is identified by its IP address must call the service by an IP address, as localhost, or by a name in ANAGRAFE_ALLOWED_HOSTS.',
    several: 'The request has several credentials. Send only one.',
    token:
      'The access token is not valid: it is unknown or expired, or its session has ended. Refresh it or sign in again.',
    refresh:
      'The refresh token is not valid: it is unknown, expired or already used, or its session has ended. Sign in again.',
    login: 'Wrong username or password, or the user is disabled.',
    console: 'The console session has ended. Sign in again.',
    operator: 'Wrong email address, password or code, or the operator is disabled.',
    user: 'This operation is for signed-in users. Send the AccessToken that the sign-in returned.',
    closed:
      'No API client exists yet, so only direct requests from this machine are accepted, from programs of the user that runs the service or of root. Create a client: npx --no -- anagrafe client create --name erp',
  },
  FORBIDDEN: {
    address: 'Only an API client can send "Address". Send the credential of a client, or omit "Address".',
    scope: 'This operation requires the scope {scope}, which this credential does not have.',
    role: 'This operation requires the role {role} or a higher one.',
    operator: 'This operation is for API clients, not for operators.',
    secondFactor: 'Set up the second factor first: POST /console/second-factor.',
    limited: 'This operation is not available to API clients and operators that are limited by tags.',
    keys: 'API clients cannot sign in to this console: ANAGRAFE_CONSOLE_KEYS is false. Sign in as an operator.',
    page: 'A console session can be used only by the pages of the console.',
    origin:
      'Pages of this origin may not call the service. ANAGRAFE_ALLOWED_ORIGINS lists the origins that may.',
    owner:
      'The client of this webhook is revoked or does not have the scope admin. Give it the scope, or create the webhook with another client.',
    run: 'The run belongs to another client. Begin a run of your own with another UUID.',
    plainly:
      'A signed-in user cannot use Idempotency-Key, Prefer: respond-async or dryRun in irs/update, or Search in irs/list.',
    mustChange:
      'The user must change its password first: irs/update with CurrentPassword. Other requests are then possible after a new sign-in.',
    user: 'A signed-in user can only change its own password (irs/update with CurrentPassword), read its own record (irs/list), manage its own sessions and sign out.',
  },
  NOT_FOUND: 'Unknown path. See /docs for all operations.',
  METHOD_NOT_ALLOWED: 'This path does not support the method. Use {allow}.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as Content-Type: application/json, in UTF-8 and not compressed.',
  BODY_TOO_LARGE: {
    bytes: 'The body is larger than {bytes} bytes. Split it into several calls.',
    deep: 'The body is nested deeper than the maximum of {depth} levels.',
    values: 'The body contains more than {values} values. Split it into several calls.',
    names: 'The body contains too many different field names. Send only the documented fields.',
  },
  BATCH_TOO_LARGE: {
    answered:
      'The call contains more than {records} records or {users} users. Send it as a job with "Prefer: respond-async" (up to {jobUsers} users), or split it into several calls.',
    job: 'The call contains more than {records} records or {users} users, the maximum of a job. Split it into several calls.',
    undo: 'The run has changed more than {records} principals or {users} users, the maximum of a job. It cannot be undone.',
    removals:
      'The call would disable or delete more than {users} users, which is the maximum. Split it into several calls.',
    merges: 'The call would move more than {users} users, which is the maximum. Split it into several calls.',
    invitations:
      'The call would invite more than {users} users, the maximum of a job. Split it into several calls.',
    answeredInvitations:
      'The call would invite more than {users} users. Send it as a job with "Prefer: respond-async" (up to {jobUsers} users), or split it into several calls.',
    answeredRemovals:
      'The call would disable, delete or move more than {users} users. Send it as a job with "Prefer: respond-async" (up to {jobUsers} users), or split it into several calls.',
  },
  PARTIALLY_APPLIED: {
    done: '{applied} of {total} records were applied. See result.records for the errors of the others.',
    dry: '{applied} of {total} records would be applied. See result.records for the errors of the others.',
  },
  NOTHING_APPLIED: {
    done: 'No record was applied. See result.records for the errors.',
    dry: 'No record would be applied. See result.records for the errors.',
  },
  CODE_INVALID: 'The code is not valid: it is unknown, expired or already used. Ask for a new one.',
  NO_MAIL_SERVER: 'This service does not send mail: ANAGRAFE_SMTP_URL is not set.',
  PASSWORD_REFUSED: 'The password was not accepted. See result.record.FieldErrors. The code is still valid.',
  JOB_NOT_ENDED: 'The job has not ended. Wait until it ends, or cancel it.',
  JOB_NOT_FOUND: 'There is no job with this ID. It may belong to another client, or may have been deleted.',
  RUN_NOT_FOUND: 'There is no run with this ID. It may have been deleted.',
  RUN_NOT_ENDED: {
    call: 'A call or job of the run has not ended. Wait until it ends, or cancel it.',
    undo: 'The run is being undone. Wait until the undo has ended.',
  },
  RUN_TOO_OLD: 'The run is too old to be undone. See UndoableUntil of the run.',
  NOTHING_TO_UNDO: 'The run has changed nothing.',
  AUDIT_ROW_NOT_FOUND: 'There is no row of the audit log at this position. It may have been deleted.',
  CALL_NOT_FOUND: 'There is no synchronous call with this ID. It may have been deleted.',
  WEBHOOK_NOT_FOUND: 'There is no webhook or delivery with this ID.',
  SESSION_NOT_FOUND: 'There is no user with this ID, or the session has ended.',
  INVALID_CLIENT: {
    name: 'The name of a client must be one line of text.',
    email: 'The email address of the operator is not valid.',
    operator: 'The name of an operator must be one line of text.',
    networks: 'A client that is identified by its IP address needs at least one network.',
    everyone:
      'The networks of a client that is identified by its IP address may cover at most 1/128 of all addresses. Use smaller networks.',
  },
  CLIENT_ADDRESS_TAKEN:
    'Another client is already identified by an address of these networks. Use networks that do not overlap.',
  OPERATOR_EMAIL_TAKEN: 'Another operator has this email address.',
  OPERATOR_NOT_FOUND: 'There is no operator or no session with this ID.',
  LAST_ADMINISTRATOR:
    'This is the last active operator with the role admin. Give another operator this role first.',
  CONFIRMATION_REQUIRED:
    'Confirm your identity with your password or a code (POST /console/session/confirm), and send the call again.',
  SECOND_FACTOR_REQUIRED:
    'The password is right. Send it again with the code of the second factor in "Code".',
  CLIENT_NOT_FOUND: 'No active client has this public key. GET /admin/v1/clients lists all clients.',
  IDEMPOTENCY_IN_PROGRESS:
    'A call with this Idempotency-Key is still running or was just interrupted. To get its answer, send it again after {seconds} s.',
  IDEMPOTENCY_KEY_REUSED:
    'This Idempotency-Key was already used with another body or path. Repeat the original call, or use a new key.',
  TOO_MANY_REMOVALS: {
    moves:
      'The call would move {removals} of the {users} users of principals to other principals. Without a plan at most {allowed} are allowed, so nothing was applied. Send it with dryRun=true, check the plan, then send it with If-Match.',
    source:
      'The call would move {removals} of the {users} users of the principal with ID {id} to other principals. Without a plan at most {allowed} are allowed, so nothing was applied. Send it with dryRun=true, check the plan, then send it with If-Match.',
    call: 'The call would disable or delete {removals} of {users} users. Without a plan at most {allowed} are allowed, so nothing was applied. Send it with dryRun=true, check the plan, then send it with If-Match.',
    record:
      'The call would disable or delete {removals} of the {users} users of the principal of record [{position}]. Without a plan at most {allowed} are allowed, so nothing was applied. Send the call with dryRun=true, check the plan, then send it with If-Match.',
  },
  RATE_LIMITED: {
    calls: 'Too many calls. Retry after {seconds} s.',
    loginThrottle: 'Too many wrong passwords. Retry after {seconds} s.',
    codeThrottle: 'Too many wrong codes. Retry after {seconds} s.',
    forgottenThrottle: 'Too many calls for this account. Retry after {seconds} s.',
    jobs: 'This client has too many open jobs. At most {jobs} may be open, with {bytes} bytes together. Nothing was stored. Retry after {seconds} s, or when a job has ended.',
    ownExport: 'An export of this client is running. Retry after {seconds} s.',
    exports: '{count} exports are running. Retry after {seconds} s.',
  },
  OVERLOADED: 'The service is overloaded. No changes were made. Retry after {seconds} s.',
  UNAVAILABLE: {
    database: 'The database is not available. No changes were made. Retry after {seconds} s.',
    conflict: 'Other calls are changing the same data. No changes were made. Retry after {seconds} s.',
    noAnswer: 'The database did not answer. Retry after {seconds} s.',
    masterKey:
      'This node does not have the master key of the database. No changes were made. Retry after {seconds} s.',
  },
  INTERNAL: 'Internal error. The log of the service has the details under the request ID {request}.',
};

/** Codes of a record: `Item2` of a tuple. */
export const recordTexts = {
  INVALID_RECORD: {
    done: 'The record has field errors and was not applied.',
    dry: 'The record has field errors and would not be applied.',
  },
  INVALID_USERS: {
    done: 'The users of the record have field errors. The record was not applied.',
    dry: 'The users of the record have field errors. The record would not be applied.',
  },
  RECORD_TOO_LARGE: {
    records:
      'The record has more than {users} users or {mebibytes} MiB. Send several records of the principal, which are applied in order.',
    insert:
      'The record has more than {users} users or {mebibytes} MiB. Insert the principal with fewer users, and send the others with irs/update.',
    upsert:
      'The record has more than {users} users or {mebibytes} MiB. Send its users in several calls, with missing=keep.',
    merge:
      'The principal in From has more than {users} users. Move some of them first, or merge the other principal into it.',
    invitations:
      'The record would invite more than {users} users. Send several records with Users, or call irs/invite again after these users have set their passwords.',
    removals:
      'The record would disable or delete more than {users} users that it does not contain. Disable or delete them first with irs/state or irs/delete, at most {users} in a record.',
  },
  PRINCIPAL_NOT_FOUND: {
    id: 'There is no principal with this ID.',
    key: 'There is no principal with this ExternalKey.',
  },
  PRINCIPAL_DISABLED: 'This principal is disabled. Enable it before you register users.',
  USER_NOT_FOUND: {
    id: 'This principal has no user with this ID.',
    username: 'This principal has no user with this username.',
    movedId: 'There is no user with this ID.',
    movedUsername: 'There is no user with this username.',
  },
  USERNAME_TAKEN: {
    stored: 'This username is taken.',
    owner: 'This username belongs to a user of the principal with ID {id}{label}.',
    reset: 'This principal has a user with this username already. Did you mean Operation: "reset"?',
    several: 'Several records of the call contain this username. Its user was not moved.',
    call: 'This username occurs earlier in the same call.',
  },
  EXTERNAL_KEY_TAKEN: {
    stored: 'This ExternalKey belongs to the principal with ID {id}.',
    hidden: 'This ExternalKey is taken.',
    call: 'This ExternalKey occurs in an earlier record of the same call.',
  },
  LOOKS_LIKE_ANOTHER: {
    stored:
      'The principal with ID {id}{label} has the same {field}, or one that differs only in case, spaces, dashes or leading zeros. To insert this one as well, send it with "Similar": "allow".',
    hidden:
      'Another principal has the same {field}, or one that differs only in case, spaces, dashes or leading zeros. To insert this one as well, send it with "Similar": "allow".',
    call: 'An earlier record of the same call{label} has the same {field}, or one that differs only in case, spaces, dashes or leading zeros. To insert both, send this one with "Similar": "allow".',
  },
  SAME_PRINCIPAL: 'The record and From name the same principal. From must name the one that is merged.',
  DUPLICATE_PRINCIPAL:
    'An earlier record of the same call has the same principal. Send one record for each principal.',
  DIFFERS_FROM_STORED: {
    both: 'The stored value is "{stored}", but "{sent}" was sent.',
    sent: 'The stored value differs from "{sent}".',
  },
  PLAN_OUTDATED: {
    call: 'The plan no longer holds: stored data, the records or the options have changed. Nothing was applied. Send the call with dryRun=true for a new plan.',
    record: 'Stored data has changed since the plan was made. The record was not applied.',
    removals:
      'Users were registered or moved since the call was checked: the record would now disable, delete or move {removals} users instead of {allowed}. It was not applied.',
  },
  OUTCOME_UNKNOWN:
    'The connection to the database was lost while the record was written, so its outcome is unknown. If the call had an Idempotency-Key, repeat it with the same key. Otherwise read the record before you send it again.',
  NOT_APPLIED: {
    database: 'The database was not available. The record was not applied. Send it again later.',
    conflict:
      'Other calls changed the same data at each of {attempts} attempts. The record was not applied. Send it again later.',
    earlier:
      'An earlier record of the same principal was not applied, or its outcome is unknown. This record was not applied either. Send it again after that one.',
  },
  RECORD_FAILED: 'Internal error. The record was not applied. The log of the service has the details.',
  CANCELLED: 'The job was cancelled before this record was started. The record was not applied.',
};

/** Not errors: the answer contains the text as `message`, but not the code. */
export const noteTexts = {
  TAKEN_AS_JOB: 'The call was accepted as job {id}. GET {location} returns its progress.',
};

export const english = { ...callTexts, ...recordTexts, ...fieldTexts, ...noteTexts };
