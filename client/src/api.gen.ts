// Written by scripts/generate-client.mjs from server/openapi.json and server/src/records/fields/fields.ts. Do not edit.

/**
 * A user that was written, with the operation. `Username` and `Email` are null for a user that was deleted,
 * and for an existing user if the caller does not have the scope `sync:read`.
 */
export interface AppliedUser {
  ID: number;
  Username: string | null;
  Email: string | null;
  /** The operation. `none`: the user already had all values. */
  Operation: 
    | 'register' | 'reset' | 'state' | 'edit' | 'move' | 'disable' | 'delete' | 'invite' | 'none';
  /** The names of the fields that an edit changed. */
  Changed?: string[];
  /**
   * `disabled`: the user was reset or moved, but is disabled. `invited`: the user was enabled, but has no
   * password. It cannot sign in.
   */
  State?: 'disabled' | 'invited';
  /** What an undo or a merge leaves as it is. */
  Kept?: ({
    /** Null for the user or principal as a whole. */
    Field: string | null;
    /**
     * `changed`: changed or used since. `deleted`: no longer exists. `moved`: the run has moved the user
     * here, and its former principal no longer exists. `password`: it was reset, and the old one is
     * unknown. `expired`: the old values are no longer stored. `taken`: the old name or key now belongs to
     * another user or principal. `last`: the principal would have no field without it. `differs`: a merged
     * principal has another value, which is dropped.
     */
    Reason: 
      | 'changed' | 'deleted' | 'moved' | 'password' | 'expired' | 'taken' | 'last' | 'differs';
    /** The dropped value. Only in a dry run, for callers with the scope `sync:read`. */
    Other?: unknown;
  })[];
  /** Present if the user was invited: the way in which it gets its code. */
  Invite?: 'email' | 'code';
  /**
   * The code with which the user sets its password. Only the first answer to a synchronous call has it; a
   * repeated answer and the tuples of a job have null.
   */
  Code?: string | null;
  /** The page on which the user sets its password. Null without ANAGRAFE_PUBLIC_URL. */
  URL?: string | null;
  IssuedAt?: string | null;
  ExpiresAt?: string | null;
}

/** Further values of a user, by their names: at most 20, each of at most 1024 bytes in UTF-8. */
export type Attributes = Record<string, string>;

/** The action of a row. */
export type AuditAction =
  | 'insert' | 'update' | 'state' | 'delete' | 'call.completed' | 'job.submitted' | 'job.completed'
  | 'job.cancelled' | 'records.read' | 'records.exported' | 'login' | 'login.failed' | 'login.refreshed'
  | 'login.reused' | 'logout' | 'password.forgotten' | 'invitations.issued' | 'sessions.ended'
  | 'console.login' | 'console.logout' | 'client.created' | 'client.changed' | 'client.rotated'
  | 'client.revoked' | 'client.denied' | 'operator.created' | 'operator.changed' | 'operator.reset'
  | 'operator.password' | 'operator.forgotten' | 'operator.second_factor' | 'operator.denied'
  | 'operator.refused' | 'operator.sessions_ended' | 'webhook.created' | 'webhook.changed'
  | 'webhook.rotated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.replayed' | 'master_key.rotated';

/** The old and new value of a changed field. Passwords are not included. */
export interface AuditChange {
  /** Null for a field of the principal. */
  UserID: number | null;
  Field: string;
  /** A text, an object for `Attributes`, null if the field was not set. */
  Old: unknown;
  New: unknown;
}

export interface AuditPage {
  /** Send it as `after` in the next request. */
  After: number;
  /** True if the next request returns rows immediately. */
  More: boolean;
}

/** A row of the audit log. */
export interface AuditRow {
  /** The position in the hash chain, from 1. */
  Position: number;
  ID: number;
  At: string;
  Actor: 'client' | 'console' | 'user' | 'protected' | 'operator' | 'service';
  ClientID: number | null;
  UserID: number | null;
  Address: string | null;
  RequestId: string | null;
  CallID: string | null;
  /** The name of the client or operator. */
  ClientName: string | null;
  /** The action, such as `update` or `client.created`. */
  Action: string;
  /** The ID of the principal. */
  IRID: number | null;
  /** The IDs of the registered users. */
  Registered: number[] | null;
  /** The IDs of the users whose passwords were reset. */
  Reset: number[] | null;
  /** The IDs of the deleted users. */
  Deleted: number[] | null;
  Details: Record<string, unknown> | null;
  /**
   * The changed values of the first users of the row. Empty if no field was changed, or if the values have
   * expired or their user or principal was deleted.
   */
  Changes: AuditChange[];
  /** True if `Changes` does not contain all changed values. */
  MoreChanges: boolean;
  /** The keyed hash over this row and the hash of the previous row, in hexadecimal. */
  Hash: string;
}

export interface AuditVerification {
  /** True if all rows are unchanged. */
  Sound: boolean;
  /** Number of valid rows from the first row. */
  Rows: number;
  /** The position of the first invalid row. Null if all are valid. */
  Position: number | null;
  /** What happened to the row at `Position`. */
  Error: 'changed' | 'removed' | 'inserted' | 'cut off' | 'values changed' | null;
  /** The position of the last row. Null if a row is not valid. */
  LastPosition: number | null;
  /** The hash of the last row. Null if a row is not valid. */
  LastHash: string | null;
}

export interface CallCompleted extends CloudEventAttributes {
  type: 'call.completed';
  data: {
    RequestId: string | null;
    Operation: Operation;
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    Records: number;
    RecordsFailed: number;
    Users: number;
    UsersApplied: number;
  };
}

/** A synchronous call, with the positions of a page of its tuples. */
export interface CallWithTuples extends CompletedCall {
  /**
   * For each tuple of `result.records`, the zero-based index of its record in the request. Equals
   * `Position` of a failed record.
   */
  Positions: number[];
}

/** An API client. */
export interface Client {
  ID: number;
  PublicKey: string;
  Name: string;
  Scopes: Scope[];
  /** The networks from which the client can call. Empty for all. */
  Networks: string[];
  /** True if requests from `Networks` need no credential. */
  KnownByAddress: boolean;
  /**
   * Limits it to the principals that have one of these tags. They cannot be changed. Null: it is not
   * limited.
   */
  Tags: string[] | null;
  CreatedAt: string;
  RevokedAt: string | null;
}

export interface ClientChange {
  Name?: string | null;
  Scopes?: Scope[] | null;
  Networks?: string[] | null;
  KnownByAddress?: boolean | null;
}

/** An event in the format CloudEvents 1.0. `type` determines `data`. */
export type CloudEvent =
  | PrincipalInserted
  | PrincipalUpdated
  | PrincipalStateChanged
  | PrincipalMerged
  | PrincipalDeleted
  | UserRegistered
  | UserPasswordReset
  | UserInvited
  | UserUpdated
  | UserStateChanged
  | UserMoved
  | UserDeleted
  | CallCompleted
  | JobCompleted
  | WebhookDisabled;

export interface CodeAndPassword {
  /** The code, as typed or from the link. */
  Code: string;
  Password: string;
  /** The same value as `Password`. */
  ConfirmPassword: string;
  /** The IP address of the user. Only an API client with the scope `sync:write` can send it. */
  Address?: string | null;
}

/** A synchronous call. */
export interface CompletedCall {
  At: string;
  Actor: 'client' | 'console' | 'user' | 'protected' | 'operator' | 'service';
  ClientID: number | null;
  UserID: number | null;
  Address: string | null;
  RequestId: string | null;
  CallID: string | null;
  Operation: Operation;
  Records: number;
  RecordsFailed: number;
  Users: number;
  UsersApplied: number;
  /** Duration of the call in milliseconds. */
  Milliseconds: number;
}

export interface ConsoleKeys {
  PublicKey: string;
  SecretKey: string;
}

export interface ConsoleSession {
  State: 'protected' | 'signed-in' | 'signed-out';
  Client: { PublicKey: string; Name: string } | null;
  Operator: 
    | {
      ID: number;
      Email: string;
      Name: string;
      Role: Role;
      /**
       * Limits it to the principals that have one of these tags. They cannot be changed. Null: it is not
       * limited.
       */
      Tags: string[] | null;
      SecondFactor: boolean;
      /** True if the operator can do nothing before it has set up the second factor. */
      NeedsSecondFactor: boolean;
      /** True if the operator has entered its password or a code within the last ten minutes. */
      Confirmed: boolean;
    }
    | null;
  /** What the client or operator may do. A request decides anew. */
  Permissions: Permission[];
  ExpiresAt: string | null;
  /** Minutes without input after which a page of an operator signs out. */
  IdleMinutes: number;
  /** True if API clients may sign in, too. */
  KeysAllowed: boolean;
  /** True if a mail server is configured. */
  SendsMail: boolean;
  /** The name of the product that users see. */
  BrandName: string;
  /** Its colour. */
  BrandColor: string;
}

export interface CreateClient {
  Name: string;
  Scopes?: Scope[] | null;
  Networks?: string[] | null;
  KnownByAddress?: boolean | null;
  /**
   * Limits it to the principals that have one of these tags. They cannot be changed. Null: it is not
   * limited.
   */
  Tags?: string[] | null;
}

export interface CreateOperator {
  Email: string;
  Name: string;
  Role: Role;
  /**
   * Limits it to the principals that have one of these tags. They cannot be changed. Null: it is not
   * limited.
   */
  Tags?: string[] | null;
  /** True to send the code to the operator by mail, too. */
  Mail?: boolean | null;
}

export interface CreateWebhook {
  /** The endpoint URL. It must use https, except in the networks of ANAGRAFE_WEBHOOK_NETWORKS. */
  URL: string;
  Types?: EventType[] | EventType | null;
  Granularity?: Granularity | null;
}

export interface Credentials {
  Username: string;
  Password: string;
  /** The IP address of the user. Only an API client with the scope `sync:write` can send it. */
  Address?: string | null;
}

export interface Debug {
  RequestTime: string;
  ResponseTime: string;
  /** Duration of the request in milliseconds. */
  Duration: number;
  ClientIP: string;
  RequestId: string;
  /** With an `errorCode`: the path of the page that explains it. */
  Help?: string;
}

/** A principal to delete with all of its users or, with `Users`, the users of the principal to delete. */
export type DeleteRecord = {
  Users?: DeletedUser[] | null;
  /** Ignored. Present in failed records, which can be corrected and sent again. */
  FieldErrors?: unknown;
  /** Ignored, as `FieldErrors`. */
  Position?: unknown;
} & (
  | { ID: number; ExternalKey?: null }
  | {
      ID?: null;
      /** The external key of the principal, instead of `ID`. */
      ExternalKey: string;
    }
);

/** A user to delete. */
export type DeletedUser = { ID: number; Username?: null } | { ID?: null; Username: string };

/** A user to delete. */
export type Deletion = {
  Operation: 'delete';
} & ({ ID: number; Username?: null } | { ID?: null; Username: string });

/** A message to a webhook, with its attempts. */
export interface Delivery {
  /** The header `webhook-id`, the same for every attempt. */
  ID: string;
  Type: EventType | 'webhook.test';
  State: 'pending' | 'delivered' | 'failed';
  Attempts: number;
  CreatedAt: string;
  NextAt: string | null;
  AttemptedAt: string | null;
  /** The HTTP status of the last answer. */
  Status: number | null;
  /** The reason as text, in the language of the request. Null if `Status` explains the failure. */
  Failure: string | null;
  FailureCode: DeliveryFailureCode | null;
  FailureDetails: DeliveryFailureDetails | null;
}

export interface DeliveryDetails extends Delivery {
  /** The body that is sent, a CloudEvent in JSON. Null if the event has been deleted. */
  Message: string | null;
  /** The beginning of the body of the last answer. It is untrusted text; do not render it as HTML. */
  Answer: string | null;
  /** Milliseconds until the status of the last answer arrived. */
  Milliseconds: number | null;
}

/** The reason why a delivery failed. */
export type DeliveryFailureCode =
  | 'http_status' | 'timeout' | 'connection_refused' | 'connection_reset' | 'connection_timeout'
  | 'name_not_resolved' | 'unreachable' | 'tls_error' | 'invalid_response' | 'network_error'
  | 'internal_address' | 'plain_http' | 'event_expired';

export interface DeliveryFailureDetails {
  /** The HTTP status of the answer, with `http_status`. */
  Status: number | null;
  /** The error code of Node.js, such as `ECONNREFUSED`. */
  NetworkError: string | null;
  /** The timeout in milliseconds, with `timeout`. */
  TimeoutMs: number | null;
}

/** The reason why a webhook was disabled. */
export type DisabledReason = 'manual' | 'client_revoked' | 'client_lost_admin' | DeliveryFailureCode;

/** New values of a user. A field that is absent keeps its value; an empty text clears it. */
export type Edit = EditedUser & {
  Operation: 'edit';
  NewUsername?: string | null;
  State?: State | null;
} & ({ ID: number; Username?: null } | { ID?: null; Username: string });

export interface EndedOperatorSessions {
  /** Number of sessions that were ended. */
  Ended: number;
}

export interface EndedSessions {
  /** Number of sessions that were valid. */
  Ended: number;
}

export type ErrorCode =
  | 'INVALID_JSON' | 'INVALID_BODY' | 'INVALID_PARAMETER' | 'INVALID_REQUEST' | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE' | 'UNAUTHENTICATED' | 'FORBIDDEN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED'
  | 'UNSUPPORTED_MEDIA_TYPE' | 'BODY_TOO_LARGE' | 'BATCH_TOO_LARGE' | 'PARTIALLY_APPLIED' | 'NOTHING_APPLIED'
  | 'CODE_INVALID' | 'NO_MAIL_SERVER' | 'PASSWORD_REFUSED' | 'JOB_NOT_ENDED' | 'JOB_NOT_FOUND'
  | 'RUN_NOT_FOUND' | 'RUN_NOT_ENDED' | 'RUN_TOO_OLD' | 'NOTHING_TO_UNDO' | 'AUDIT_ROW_NOT_FOUND'
  | 'CALL_NOT_FOUND' | 'WEBHOOK_NOT_FOUND' | 'SESSION_NOT_FOUND' | 'INVALID_CLIENT' | 'CLIENT_ADDRESS_TAKEN'
  | 'OPERATOR_EMAIL_TAKEN' | 'OPERATOR_NOT_FOUND' | 'LAST_ADMINISTRATOR' | 'CONFIRMATION_REQUIRED'
  | 'SECOND_FACTOR_REQUIRED' | 'CLIENT_NOT_FOUND' | 'IDEMPOTENCY_IN_PROGRESS' | 'IDEMPOTENCY_KEY_REUSED'
  | 'TOO_MANY_REMOVALS' | 'RATE_LIMITED' | 'OVERLOADED' | 'UNAVAILABLE' | 'INTERNAL' | 'INVALID_RECORD'
  | 'INVALID_USERS' | 'RECORD_TOO_LARGE' | 'PRINCIPAL_NOT_FOUND' | 'PRINCIPAL_DISABLED' | 'USER_NOT_FOUND'
  | 'USERNAME_TAKEN' | 'EXTERNAL_KEY_TAKEN' | 'LOOKS_LIKE_ANOTHER' | 'SAME_PRINCIPAL' | 'DUPLICATE_PRINCIPAL'
  | 'DIFFERS_FROM_STORED' | 'PLAN_OUTDATED' | 'OUTCOME_UNKNOWN' | 'NOT_APPLIED' | 'RECORD_FAILED'
  | 'CANCELLED' | 'REQUIRED' | 'MORE_ERRORS' | 'UNKNOWN_FIELD' | 'WRONG_TYPE' | 'INVALID_ID'
  | 'INVALID_STATE' | 'INVALID_SIMILAR' | 'INVALID_OPERATION' | 'NO_USERS' | 'NOT_PERMITTED'
  | 'AMBIGUOUS_PRINCIPAL' | 'AMBIGUOUS_USER' | 'UNRECOGNISED_USER' | 'DUPLICATE_USER' | 'EMPTY_PRINCIPAL'
  | 'TEXT_EMPTY' | 'TEXT_TOO_LONG' | 'TEXT_CHARACTERS' | 'USERNAME_TOO_LONG' | 'USERNAME_SPACES'
  | 'USERNAME_CHARACTERS' | 'USERNAME_DIRECTION' | 'EMAIL_INVALID' | 'EMAIL_TOO_LONG' | 'LANGUAGE_INVALID'
  | 'ATTRIBUTES_TOO_MANY' | 'ATTRIBUTE_NAME' | 'ATTRIBUTE_TOO_LONG' | 'TAGS_TOO_MANY' | 'TAG_INVALID'
  | 'TAG_NOT_PERMITTED' | 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG' | 'PASSWORD_CHARACTERS'
  | 'PASSWORD_COMMON' | 'PASSWORD_IS_USERNAME' | 'PASSWORD_IS_EMAIL' | 'PASSWORD_MISMATCH'
  | 'PASSWORD_BESIDE_HASH' | 'PASSWORD_HASH_INVALID' | 'PASSWORD_HASH_COST' | 'PASSWORD_REUSED'
  | 'INVALID_INVITE' | 'INVITE_BESIDE_PASSWORD' | 'CANNOT_INVITE' | 'CURRENT_PASSWORD_WRONG';

/** The estimate of a dry run. */
export interface Estimate {
  /** Number of users that would be registered. */
  Register: number;
  /** Number of passwords that would be reset. */
  Reset: number;
  /** Number of users that would be invited. Only of `irs/invite`. */
  Invite?: number;
  /** Number of records that would not be applied. */
  RecordsFailed: number;
  /** Estimated duration in seconds. */
  EstimatedSeconds: number;
}

export type EventType =
  | 'principal.inserted' | 'principal.updated' | 'principal.state_changed' | 'principal.merged'
  | 'principal.deleted' | 'user.registered' | 'user.password_reset' | 'user.invited' | 'user.updated'
  | 'user.state_changed' | 'user.moved' | 'user.deleted' | 'call.completed' | 'job.completed'
  | 'webhook.disabled';

/** A password reset of a user that is named by its `ID` or `Username`. */
export type ExplicitReset = {
  Operation: 'reset';
  /** True: after the next sign-in the user can only change its password. */
  MustChangePassword?: boolean | null;
} & (
  | {
      ID: number;
      Username?: null;
      /** The password: 8 to 128 characters, not a common password. */
      Password: string;
      /** The same value as `Password`. */
      ConfirmPassword: string;
      PasswordHash?: null;
    }
  | {
      ID?: null;
      Username: string;
      /** The password: 8 to 128 characters, not a common password. */
      Password: string;
      /** The same value as `Password`. */
      ConfirmPassword: string;
      PasswordHash?: null;
    }
  | {
      ID: number;
      Username?: null;
      /**
       * A hash from another system, instead of `Password` and `ConfirmPassword`: argon2id, argon2i, bcrypt,
       * PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity.
       */
      PasswordHash: string;
      Password?: null;
      ConfirmPassword?: null;
    }
  | {
      ID?: null;
      Username: string;
      /**
       * A hash from another system, instead of `Password` and `ConfirmPassword`: argon2id, argon2i, bcrypt,
       * PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity.
       */
      PasswordHash: string;
      Password?: null;
      ConfirmPassword?: null;
    }
);

/** A line of an export: a principal with up to 1,000 of its users. */
export interface ExportedPrincipal extends StoredPrincipal {
  Users: ExportedUser[];
}

/** A user in an export. */
export interface ExportedUser extends User {
  /** Only with `hashes=true`; null for an invited user. `irs/insert` accepts it. */
  PasswordHash?: string | null;
}

/**
 * A record that was not applied, as it was sent but without secrets. `Position` is its zero-based index in
 * the request, `FieldErrors` has its field errors by path.
 */
export interface FailedRecord {
  Position: number;
  FieldErrors: Record<string, FieldError[]>;
  [field: string]: unknown;
}

export interface Failure {
  At: string;
  CallID: string;
  /** The ID of the job. Null for a synchronous call. */
  JobID: string | null;
  Operation: Operation;
  ClientID: number | null;
  /** Zero-based index of the record in the request. */
  Position: number;
  /** The ID of the principal. */
  ID: number | null;
  /** The external key that the record was sent with, or that of the principal with the ID. */
  ExternalKey: string | null;
  /** The first username in the record. */
  Username: string | null;
  Code: ErrorCode;
  Message: string;
  /** The field errors by path, at most 20 paths. */
  FieldErrors: Record<string, FieldError[]>;
  /** Number of all paths with field errors. */
  FieldErrorsCount: number;
}

export interface Feed {
  /** Send it as `after` in the next request. Null if there are no events yet. */
  After: string | null;
  /** True if the next request returns events immediately. */
  More: boolean;
}

export interface FieldChange {
  Field: string;
  From: unknown;
  To: unknown;
}

/** A problem with one field of a record. */
export interface FieldError {
  code: ErrorCode;
  message: string;
  details?: FieldErrorDetails;
}

/**
 * The other principal that the error is about. Its values are null if the caller does not have the scope
 * `sync:read`, and `PrincipalID` if it is a new principal of the same call. `Vatnumber`, `Taxcode` and
 * `Field` are those of a look-alike.
 */
export interface FieldErrorDetails {
  PrincipalID: number | null;
  ExternalKey: string | null;
  Denomination: string | null;
  Vatnumber?: string | null;
  Taxcode?: string | null;
  /** The field of both principals that is alike. */
  Field?: string;
  /** The `Operation` that the user item lacks, if it was meant as one. */
  Operation?: 'reset';
}

export interface ForgottenOperatorPassword {
  Email: string;
}

/** Either `Username` or `Email`. */
export interface ForgottenPassword {
  Username?: string | null;
  Email?: string | null;
  /** The IP address of the user. Only an API client with the scope `sync:write` can send it. */
  Address?: string | null;
}

/**
 * What one delivery contains. `user`: one user. `record`: up to 1,000 users of a record. `job`: a whole
 * call or job.
 */
export type Granularity = 'user' | 'record' | 'job';

export interface Hashing {
  /** Queued passwords of sign-ins and of calls with one user. */
  WaitingInteractive: number;
  /** Queued passwords of larger calls and of jobs. */
  WaitingBulk: number;
  /** Passwords that are being hashed. */
  Running: number;
  /** Hashes per second, measured over the last ten seconds. */
  HashesPerSecond: number;
  /** Hashes per second that this node can compute. */
  Capacity: number;
}

export interface HealthReport {
  Version: string;
  /** The version of Node.js. */
  Node: string;
  StartedAt: string;
  Database: {
    Kind: 'embedded' | 'external';
    /** The version of PostgreSQL. */
    Version: string;
    /** Size of the database in bytes. */
    Bytes: number;
  };
  Disk: 
    | {
      /** Size of the disk in bytes. */
      Bytes: number;
      /** Free bytes. */
      Free: number;
    }
    | null;
  Certificate: 
    | {
      Host: string;
      ValidTo: string | null;
      /** Why the certificate cannot be read, or is not valid. */
      Error: string | null;
    }
    | null;
  /** The newest scheduled backup; null if none are configured. */
  Backup: { TakenAt: string | null } | null;
  Mail: 
    | {
      /** Mails to users that wait to be sent. */
      Pending: number;
      /** Why the mail server cannot be used. */
      Error: string | null;
    }
    | null;
}

/** A principal to create, with or without users. */
export interface InsertRecord {
  ExternalKey?: string | null;
  Denomination?: string | null;
  Surname?: string | null;
  Name?: string | null;
  Vatnumber?: string | null;
  Taxcode?: string | null;
  Email?: string | null;
  Tags?: Tags | null;
  Users?: (Registration | RegistrationWithHash | InvitedRegistration)[] | null;
  /**
   * Inserts the principal even if it looks like another one. Without effect unless the call has
   * `similar=refuse`.
   */
  Similar?: 'allow' | null;
  /** Ignored. Present in failed records, which can be corrected and sent again. */
  FieldErrors?: unknown;
  /** Ignored, as `FieldErrors`. */
  Position?: unknown;
}

/**
 * A principal with users to invite. `Invite` is the default for `Users`; without `Users` all invited users
 * of the principal get another code.
 */
export type InviteRecord = {
  Invite?: 'email' | 'code' | null;
  Users?: InvitedUser[] | null;
  /** Ignored. Present in failed records, which can be corrected and sent again. */
  FieldErrors?: unknown;
  /** Ignored, as `FieldErrors`. */
  Position?: unknown;
} & (
  | { ID: number; ExternalKey?: null }
  | {
      ID?: null;
      /** The external key of the principal, instead of `ID`. */
      ExternalKey: string;
    }
);

export interface InvitedOperator extends Operator {
  /** The code for `POST /console/password`. */
  Code: string;
  /** The page that takes the code; null without `ANAGRAFE_PUBLIC_URL`. */
  URL: string | null;
  ExpiresAt: string;
}

export interface InvitedRegistration {
  Username: string;
  Email?: string | null;
  Phone?: string | null;
  FirstName?: string | null;
  LastName?: string | null;
  /** A language tag (BCP 47), such as `it` or `de-CH`. */
  Language?: string | null;
  Attributes?: Attributes | null;
  ID?: null;
  Operation?: 'register' | null;
  /**
   * Instead of a password: the user gets a code with which it chooses one, by mail (`email`) or from the
   * caller (`code`). Until then it is `invited`.
   */
  Invite: 'email' | 'code';
  PasswordHash?: null;
  Password?: null;
  ConfirmPassword?: null;
  MustChangePassword?: null;
}

/** A user to invite. */
export type InvitedUser = {
  Invite?: 'email' | 'code' | null;
} & ({ ID: number; Username?: null } | { ID?: null; Username: string });

/** A call that runs in the background. */
export interface Job {
  ID: string;
  ClientID: number | null;
  State: 'queued' | 'running' | 'completed' | 'cancelled';
  Operation: Operation;
  /** Number of records that were sent. */
  Records: number;
  /** Number of records that have a result. */
  RecordsDone: number;
  /** Number of records that were not applied. */
  RecordsFailed: number;
  /** Number of users that were sent. */
  Users: number;
  /** Number of users in records that have a result already. */
  UsersDone: number;
  /**
   * Users of applied records per second: weighted over about the last minute or, for an ended job, the
   * average.
   */
  UsersPerSecond: number | null;
  SubmittedAt: string;
  StartedAt: string | null;
  /** Null while records are left. */
  EndedAt: string | null;
  EstimatedEnd: string | null;
  Counts: UpsertCounts | null;
}

export interface JobCompleted extends CloudEventAttributes {
  type: 'job.completed';
  data: {
    JobID: string;
    Operation: Operation;
    State: 'completed' | 'cancelled';
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    Records: number;
    RecordsFailed: number;
    Users: number;
    UsersApplied: number;
  };
}

/** A user that a job has invited, with its new code. A line of the answer. */
export interface JobInvitation {
  /** Zero-based index of the record in the job. */
  Position: number;
  IRID: number | null;
  ExternalKey: string | null;
  Denomination: string | null;
  ID: number;
  Username: string | null;
  Email: string | null;
  FirstName: string | null;
  LastName: string | null;
  Language: string | null;
  Code: string | null;
  URL: string | null;
  ExpiresAt: string | null;
  /** Why the user gets no code. */
  Skipped: 'deleted' | 'disabled' | 'password_set' | null;
}

/** A job, with the positions of a page of its tuples. */
export interface JobWithTuples extends Job {
  /**
   * For each tuple of `result.records`, the zero-based index of its record in the request. Equals
   * `Position` of a failed record.
   */
  Positions: number[];
}

/** A signed-in user and its tokens. */
export interface Login {
  IRID: number;
  UserID: number;
  Username: string;
  Denomination: string | null;
  Surname: string | null;
  Name: string | null;
  Email: string | null;
  Phone: string | null;
  FirstName: string | null;
  LastName: string | null;
  Language: string | null;
  Attributes: Attributes | null;
  /** The access token, for the header `AccessToken`. */
  Token: string;
  /** The refresh token. It can be used once. */
  RefreshToken: string;
  TokenExpiration: string;
  /**
   * Present if the user must change its password: until then its tokens are accepted only by `irs/update`
   * and `logout`.
   */
  MustChangePassword?: true;
}

/** A mail with a code, without the code. */
export interface Mail {
  /** Also the identifier in the `Message-ID`. */
  ID: string;
  /** The reason for the mail: an invitation or a forgotten password. */
  Kind: 'invitation' | 'forgotten';
  /**
   * `pending`: it waits for its first or next attempt. `failed`: no later attempt will follow. `stopped`:
   * too many other mails of its job have failed.
   */
  State: 'pending' | 'sent' | 'failed' | 'stopped';
  IRID: number | null;
  UserID: number;
  Username: string | null;
  /** The address that the user has now. */
  Email: string | null;
  /** The call or job that has invited the user. */
  CallID: string | null;
  CreatedAt: string;
  Attempts: number;
  NextAt: string | null;
  /** When it was sent, failed or stopped. */
  SettledAt: string | null;
  /** The answer of the mail server to the last attempt that failed. */
  Answer: string | null;
}

/** A principal, and the one that is merged into it. */
export type MergeRecord = {
  /** The principal that is merged, and then deleted. */
  From: 
    | { ID: number; ExternalKey?: null }
    | {
        ID?: null;
        /** The external key of the principal, instead of `ID`. */
        ExternalKey: string;
      };
  /** Ignored. Present in failed records, which can be corrected and sent again. */
  FieldErrors?: unknown;
  /** Ignored, as `FieldErrors`. */
  Position?: unknown;
} & (
  | { ID: number; ExternalKey?: null }
  | {
      ID?: null;
      /** The external key of the principal, instead of `ID`. */
      ExternalKey: string;
    }
);

/**
 * A user of another principal, which moves to the principal of the record with its ID and password. Its
 * sessions end.
 */
export type Move = {
  Operation: 'move';
} & ({ ID: number; Username?: null } | { ID?: null; Username: string });

export interface NewClient extends Client {
  /** The secret key. Only this answer contains it. */
  SecretKey: string;
}

export interface NewOperatorPassword {
  Password: string;
  ConfirmPassword: string;
}

export interface NewSecret {
  PublicKey: string;
  /** The secret key. Only this answer contains it. */
  SecretKey: string;
  OldEndsAt: string;
}

export interface NewWebhook extends Webhook {
  /** The secret, `whsec_…`. Only this answer contains it. */
  Secret: string;
}

export interface NewWebhookSecret {
  ID: number;
  /** The secret, `whsec_…`. Only this answer contains it. */
  Secret: string;
  /** The end of the old secret. */
  OldEndsAt: string;
}

export type Operation = 'update' | 'insert' | 'state' | 'upsert' | 'delete' | 'merge' | 'undo' | 'invite';

/** A person who signs in to the console. */
export interface Operator {
  /** The ID of the operator, which is `ClientID` in the audit log. */
  ID: number;
  Email: string;
  Name: string;
  Role: Role;
  /**
   * Limits it to the principals that have one of these tags. They cannot be changed. Null: it is not
   * limited.
   */
  Tags: string[] | null;
  /** `invited`: the operator has no password yet. */
  State: 'invited' | 'active' | 'disabled';
  /** True if the operator has set up the second factor. */
  SecondFactor: boolean;
  CreatedAt: string;
}

export interface OperatorChange {
  Name?: string | null;
  Role?: Role | null;
  State?: State | null;
}

/** Either `Password` or `Code`. */
export interface OperatorConfirmation {
  Password?: string | null;
  Code?: string | null;
}

export interface OperatorOfCode {
  Email: string;
}

export interface OperatorPassword {
  Code: string;
  Password: string;
  ConfirmPassword: string;
}

export interface OperatorSession {
  ID: string;
  Address: string | null;
  SignedInAt: string;
  UsedAt: string;
  /** True for the session that sends the request. */
  Current: boolean;
}

export interface OperatorSignIn {
  Email: string;
  Password: string;
  Code?: string | null;
}

/** A session of the signed-in user. */
export interface OwnSession extends UserSession {
  /** True for the session of this call. */
  Current: boolean;
}

export interface PasswordToCheck {
  Password: string;
  /** The name that the password must differ from. */
  Username?: string | null;
  /** The address that the password must differ from. */
  Email?: string | null;
}

export type Permission =
  | 'records.read' | 'records.export' | 'hashes.export' | 'metrics.read' | 'passwords.reset' | 'states.write'
  | 'users.invite' | 'records.write' | 'records.delete' | 'runs.undo' | 'jobs.read' | 'jobs.write'
  | 'addresses.send' | 'admin.read' | 'service.read' | 'mails.resend' | 'sessions.end' | 'clients.write'
  | 'operators.read' | 'operators.write' | 'webhooks.write';

/** A principal: the record of a company or customer, with its users. */
export interface Principal extends StoredPrincipal {
  /** The first users, up to `UsersShown`. `irs/users` lists all. */
  Users: User[];
}

export interface PrincipalDeleted extends CloudEventAttributes {
  type: 'principal.deleted';
  data: {
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    IRID: number;
    /** The external key of the deleted principal. */
    ExternalKey: string | null;
  };
}

export interface PrincipalFilter extends ListFilter {
  /** Maximum number of users listed in each principal. */
  UsersShown?: number | null;
}

export interface PrincipalInserted extends CloudEventAttributes {
  type: 'principal.inserted';
  data: {
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    IRID: number;
    /** The current external key of the principal. Null if it has none or was deleted. */
    ExternalKey: string | null;
  };
}

export interface PrincipalMerged extends CloudEventAttributes {
  type: 'principal.merged';
  data: {
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    IRID: number;
    /** The current external key of the principal. Null if it has none or was deleted. */
    ExternalKey: string | null;
    /**
     * The ID of the principal that was merged into this one. Null if the caller is limited by tags and did
     * not see it.
     */
    FromIRID: number | null;
    /** The external key of the merged principal. */
    FromExternalKey: string | null;
  };
}

export interface PrincipalStateChanged extends CloudEventAttributes {
  type: 'principal.state_changed';
  data: {
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    IRID: number;
    /** The current external key of the principal. Null if it has none or was deleted. */
    ExternalKey: string | null;
    State: State;
  };
}

export interface PrincipalUpdated extends CloudEventAttributes {
  type: 'principal.updated';
  data: {
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    IRID: number;
    /** The current external key of the principal. Null if it has none or was deleted. */
    ExternalKey: string | null;
    /** The names of the changed fields. */
    Changed: string[];
  };
}

export interface RecoveryCodes {
  RecoveryCodes: string[];
}

/** The errors of `Password` and `ConfirmPassword`. */
export interface RefusedPassword {
  FieldErrors: Record<string, FieldError[]>;
}

export interface Registration extends NewUserValues {
  /** The password: 8 to 128 characters, not a common password. */
  Password: string;
  /** The same value as `Password`. */
  ConfirmPassword: string;
  PasswordHash?: null;
}

export interface RegistrationWithHash extends NewUserValues {
  /**
   * A hash from another system, instead of `Password` and `ConfirmPassword`: argon2id, argon2i, bcrypt,
   * PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity.
   */
  PasswordHash: string;
  Password?: null;
  ConfirmPassword?: null;
}

export interface Replayed {
  /** Number of deliveries that are sent again. */
  Replayed: number;
}

export interface ResendMails {
  CallID?: string | null;
  State?: 'sent' | 'failed' | 'stopped' | null;
  /** Maximum number of mails that are sent per minute. By default as many as the mail server accepts. */
  PerMinute?: number | null;
}

export interface ResentMails {
  /** Number of mails that wait to be sent. */
  Queued: number;
}

export interface Reset {
  ID: number;
  /** The password: 8 to 128 characters, not a common password. */
  Password: string;
  /** The same value as `Password`. */
  ConfirmPassword: string;
  /** The current password. Required if a signed-in user changes its own password. */
  CurrentPassword?: string | null;
  Username?: null;
  Email?: null;
  Phone?: null;
  FirstName?: null;
  LastName?: null;
  Language?: null;
  Attributes?: null;
  PasswordHash?: null;
  /** True: after the next sign-in the user can only change its password. */
  MustChangePassword?: boolean | null;
  Operation?: null;
}

export interface ResetOperator {
  /** True to send the code to the operator by mail, too. */
  Mail?: boolean | null;
}

export type Role = 'viewer' | 'desk' | 'editor' | 'admin';

/** The calls that belong together, such as those of one import. */
export interface Run {
  ID: string;
  ClientID: number | null;
  /** The client that has sent the calls. Null in protected mode. */
  ClientName: string | null;
  StartedAt: string;
  /** Null while a call of the run is not completed. */
  EndedAt: string | null;
  /** Number of calls and jobs, without those that undo the run. */
  Calls: number;
  Records: number;
  RecordsFailed: number;
  Users: number;
  /** The time until which the run can be undone. */
  UndoableUntil: string;
  /** The end of the last undo. Null if there is none. */
  UndoneAt: string | null;
  /**
   * The name of the client that has undone the run last. Null if there is no undo, and in protected mode.
   */
  UndoneBy: string | null;
}

/** A call or job of a run. */
export interface RunCall {
  CallID: string;
  /** The ID of the job. Null for a synchronous call. */
  JobID: string | null;
  Operation: Operation;
  SubmittedAt: string;
  /** Null while the call is not completed. */
  EndedAt: string | null;
  Records: number;
  RecordsFailed: number;
  Users: number;
}

export type Scope = 'sync:write' | 'sync:read' | 'admin';

export interface SecondFactorCode {
  Code: string;
}

export interface SecondFactorSecret {
  /** The secret, to type into an app. */
  Secret: string;
  /** The URI for a QR code. */
  URI: string;
}

/** A setting of the service. */
export interface Setting {
  /** The name of the environment variable. */
  Name: string;
  /** The value as text, masked if it is a secret. */
  Value: string;
  /** `file`: the settings file. */
  Source: 'default' | 'environment' | 'file';
}

/** `invited`: the user is enabled, and cannot sign in until it has set its password. */
export type ShownUserState = 'active' | 'disabled' | 'invited';

/** The activity of one hour or day. */
export interface Span {
  Start: string;
  Calls: number;
  Jobs: number;
  RecordsFailed: number;
  PrincipalsInserted: number;
  UsersRegistered: number;
  PasswordsReset: number;
}

export type State = 'active' | 'disabled';

/** The new state of a principal, of some of its users, or both. */
export type StateRecord = {
  State?: State | null;
  Users?: UserState[] | null;
  /** Ignored. Present in failed records, which can be corrected and sent again. */
  FieldErrors?: unknown;
  /** Ignored, as `FieldErrors`. */
  Position?: unknown;
} & (
  | { ID: number; ExternalKey?: null }
  | {
      ID?: null;
      /** The external key of the principal, instead of `ID`. */
      ExternalKey: string;
    }
);

export interface Statistics {
  Principals: number;
  Users: number;
  /** Sessions of signed-in users. */
  Sessions: number;
  /** Rows of the audit log that are not in the hash chain yet. */
  PendingRows: number;
  JobsQueued: number;
  JobsRunning: number;
  Hours: Span[];
  Days: Span[];
  Hashing: Hashing;
}

/**
 * Up to 20 tags of a principal, each of at most 40 letters (a to z), digits, dots, hyphens and underscores.
 * They are stored in lower case, sorted.
 */
export type Tags = string[];

/** The result of one record. The names `Item1` to `Item6` are those of the documented interface. */
export interface Tuple extends TupleItems {
  /**
   * The effect on the principal and the written users, with `Prefer: return=representation`. For a record
   * that was not applied, the names that it was sent with. Otherwise empty.
   */
  Item6: {
    /** The effect on the principal, if the record has fields of the principal. */
    Principal?: 'inserted' | 'updated' | 'unchanged' | 'deleted';
    /** What an undo or a merge leaves as it is. */
    Kept?: ({
      /** Null for the user or principal as a whole. */
      Field: string | null;
      /**
       * `changed`: changed or used since. `deleted`: no longer exists. `moved`: the run has moved the user
       * here, and its former principal no longer exists. `password`: it was reset, and the old one is
       * unknown. `expired`: the old values are no longer stored. `taken`: the old name or key now belongs
       * to another user or principal. `last`: the principal would have no field without it. `differs`: a
       * merged principal has another value, which is dropped.
       */
      Reason: 
        | 'changed' | 'deleted' | 'moved' | 'password' | 'expired' | 'taken' | 'last' | 'differs';
      /** The dropped value. Only in a dry run, for callers with the scope `sync:read`. */
      Other?: unknown;
    })[];
    Users?: AppliedUser[];
    /** The external key of a record that was not applied and was sent without `ID`. */
    ExternalKey?: string;
    /**
     * The first username in a record that was not applied. Only in the tuples of jobs and of earlier calls.
     */
    Username?: string;
  };
}

/**
 * A principal, with users to register, edit, move or delete, passwords to reset, and new values of its
 * fields. `Users` may be absent if there is another value.
 */
export type UpdateRecord = EditedPrincipal & {
  /** The new external key of the principal. An empty text removes it. */
  NewExternalKey?: string | null;
} & (
  | {
      ID: number;
      ExternalKey?: null;
      Users: (
        | Registration
        | RegistrationWithHash
        | InvitedRegistration
        | Reset
        | ExplicitReset
        | Edit
        | Deletion
        | Move)[];
    }
  | {
      ID?: null;
      /** The external key of the principal, instead of `ID`. */
      ExternalKey: string;
      Users: (
        | Registration
        | RegistrationWithHash
        | InvitedRegistration
        | Reset
        | ExplicitReset
        | Edit
        | Deletion
        | Move)[];
    }
  | { ID: number; ExternalKey?: null; Users?: null }
  | {
      ID?: null;
      /** The external key of the principal, instead of `ID`. */
      ExternalKey: string;
      Users?: null;
    }
);

/** The effects of the applied records of `irs/upsert`. */
export interface UpsertCounts {
  /** Number of principals that were inserted. */
  PrincipalsInserted: number;
  /** Number of principals whose own fields or state were changed. */
  PrincipalsUpdated: number;
  /** Number of principals that were deleted with their users. Only of an undo. */
  PrincipalsDeleted?: number;
  /** Number of users that were registered. */
  UsersRegistered: number;
  /** Number of users whose fields, state or password were changed. */
  UsersUpdated: number;
  /** Number of users that were moved from other principals. */
  UsersMoved: number;
  /** Number of users that were disabled because the record does not contain them. */
  UsersDisabled: number;
  /** Number of users that were deleted because the record does not contain them. */
  UsersDeleted: number;
  /** Number of records that changed nothing. */
  Unchanged: number;
}

/** The plan of a dry run: what the call would do. */
export interface UpsertPlan extends UpsertCounts {
  /** Number of records that would not be applied. */
  RecordsFailed: number;
  /** Estimated duration in seconds. */
  EstimatedSeconds: number;
  /** The tag of the plan, for `If-Match`. Also in the header `ETag`. */
  Plan: string;
  /**
   * For each tuple of `result.records`, the zero-based index of its record in the request. Equals
   * `Position` of a failed record.
   */
  Positions?: number[];
}

/** A principal with its users. An absent field is left alone; an empty text clears it. */
export type UpsertRecord = EditedPrincipal & {
  /** Absent: the users of the principal stay as they are. */
  Users?: UpsertUser[] | null;
  /**
   * Inserts the principal even if it looks like another one. Without effect unless the call has
   * `similar=refuse`.
   */
  Similar?: 'allow' | null;
} & (
  | {
      /** The external key of the principal, which is inserted if there is none. */
      ExternalKey: string;
      ID?: null;
    }
  | { ID: number; ExternalKey?: null }
);

/** The result of one record of `irs/upsert`. */
export interface UpsertTuple extends TupleItems {
  /** The effect of the record, with `Prefer: return=representation`; otherwise empty. */
  Item6: {
    Principal?: 'inserted' | 'updated' | 'unchanged' | 'deleted';
    /** The changed fields with their values. Only in a dry run, for callers with the scope `sync:read`. */
    Changes?: FieldChange[];
    /** What an undo or a merge leaves as it is. */
    Kept?: ({
      /** Null for the user or principal as a whole. */
      Field: string | null;
      /**
       * `changed`: changed or used since. `deleted`: no longer exists. `moved`: the run has moved the user
       * here, and its former principal no longer exists. `password`: it was reset, and the old one is
       * unknown. `expired`: the old values are no longer stored. `taken`: the old name or key now belongs
       * to another user or principal. `last`: the principal would have no field without it. `differs`: a
       * merged principal has another value, which is dropped.
       */
      Reason: 
        | 'changed' | 'deleted' | 'moved' | 'password' | 'expired' | 'taken' | 'last' | 'differs';
      /** The dropped value. Only in a dry run, for callers with the scope `sync:read`. */
      Other?: unknown;
    })[];
    Users?: UpsertedUser[];
    ExternalKey?: string;
  };
}

/**
 * A user of the principal, found by its `Username`. A new user needs a password, a hash or `Invite`, which
 * are ignored for an existing user; with `passwords=overwrite` its password is set.
 */
export interface UpsertUser extends EditedUser {
  Username: string;
  /** `invited`, which exports have, means the same as `active`. */
  State?: 'active' | 'disabled' | 'invited' | null;
  /** The password: 8 to 128 characters, not a common password. */
  Password?: string | null;
  /** The same value as `Password`. */
  ConfirmPassword?: string | null;
  /**
   * A hash from another system, instead of `Password` and `ConfirmPassword`: argon2id, argon2i, bcrypt,
   * PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity.
   */
  PasswordHash?: string | null;
  /**
   * Instead of a password: the user gets a code with which it chooses one, by mail (`email`) or from the
   * caller (`code`). Until then it is `invited`.
   */
  Invite?: 'email' | 'code' | null;
}

/** A user of the record, or one that it removes. `ID` is null in a dry run for a new user. */
export interface UpsertedUser {
  ID: number | null;
  Username: string | null;
  Email: string | null;
  Operation: 'register' | 'edit' | 'move' | 'disable' | 'delete' | 'none';
  Changed?: string[];
  State?: 'disabled';
  /** Present if the user was invited: the way in which it gets its code. */
  Invite?: 'email' | 'code';
  /**
   * The code with which the user sets its password. Only the first answer to a synchronous call has it; a
   * repeated answer and the tuples of a job have null.
   */
  Code?: string | null;
  /** The page on which the user sets its password. Null without ANAGRAFE_PUBLIC_URL. */
  URL?: string | null;
  IssuedAt?: string | null;
  ExpiresAt?: string | null;
  /** The changed fields with their values. Only in a dry run, for callers with the scope `sync:read`. */
  Changes?: FieldChange[];
  /** What an undo or a merge leaves as it is. */
  Kept?: ({
    /** Null for the user or principal as a whole. */
    Field: string | null;
    /**
     * `changed`: changed or used since. `deleted`: no longer exists. `moved`: the run has moved the user
     * here, and its former principal no longer exists. `password`: it was reset, and the old one is
     * unknown. `expired`: the old values are no longer stored. `taken`: the old name or key now belongs to
     * another user or principal. `last`: the principal would have no field without it. `differs`: a merged
     * principal has another value, which is dropped.
     */
    Reason: 
      | 'changed' | 'deleted' | 'moved' | 'password' | 'expired' | 'taken' | 'last' | 'differs';
    /** The dropped value. Only in a dry run, for callers with the scope `sync:read`. */
    Other?: unknown;
  })[];
}

/** A user: an account that belongs to a principal. */
export interface User {
  ID: number;
  Username: string;
  Email: string | null;
  Phone: string | null;
  FirstName: string | null;
  LastName: string | null;
  Language: string | null;
  Attributes: Attributes | null;
  State: ShownUserState;
  CreatedAt: string;
  UpdatedAt: string;
  /** Null if the user has no password yet. */
  PasswordChangedAt: string | null;
  LastLoginAt: string | null;
}

export interface UserData {
  /** The name of the operator at the console who did it; absent otherwise. */
  Operator?: string;
  IRID: number;
  /** The current external key of the principal. Null if it has none or was deleted. */
  ExternalKey: string | null;
  UserID: number;
  Username: string | null;
  Email: string | null;
}

export interface UserDeleted extends CloudEventAttributes {
  type: 'user.deleted';
  data: {
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    IRID: number;
    /** The current external key of the principal. Null if it has none or was deleted. */
    ExternalKey: string | null;
    UserID: number;
  };
}

export interface UserFilter extends ListFilter {
  /** The username of one user. */
  Username?: string | null;
  /** The usernames of several users. Cannot be combined with `Username`. */
  Usernames?: string[] | null;
  /** An email address. Case is ignored. */
  Email?: string | null;
  /** Finds by the beginning of words of `FirstName` and `LastName`. Case and accents are ignored. */
  Name?: string | null;
  State?: ShownUserState | null;
  /** True: only users that have never signed in. False: all users. */
  NeverSignedIn?: boolean | null;
  /** Only users with a greater ID. Reading on after the last ID is faster than a high page number. */
  AfterID?: number | null;
  /** The ID of one user. */
  UserID?: number | null;
  /**
   * The order of the users; `-` is descending. Default: `ID`. In another order, a user that changes while
   * the pages are read may be missed.
   */
  Sort?: 'ID' | '-ID' | 'Username' | '-Username' | 'UpdatedAt' | '-UpdatedAt' | null;
}

export interface UserInvitationData extends UserData {
  /** The way in which the user gets its code. */
  Invite: 'email' | 'code';
}

export interface UserInvited extends CloudEventAttributes {
  type: 'user.invited';
  data: UserInvitationData;
}

export interface UserMoveData extends UserData {
  /**
   * The ID of the principal that the user had before. Null if the caller is limited by tags and does not
   * see it.
   */
  FromIRID: number | null;
  /** The current external key of the principal. Null if it has none or was deleted. */
  FromExternalKey: string | null;
}

export interface UserMoved extends CloudEventAttributes {
  type: 'user.moved';
  data: UserMoveData;
}

/** The user whose password was set. */
export interface UserOfCode {
  Username: string;
}

/** A user with the ID and names of its principal. */
export interface UserOfPrincipal extends User {
  /** True if after the next sign-in the user can only change its password. */
  MustChangePassword: boolean;
  /** The ID of the principal. */
  IRID: number;
  /** The external key of the principal. */
  ExternalKey: string | null;
  /** The company name of the principal. */
  Denomination: string | null;
}

export interface UserPasswordReset extends CloudEventAttributes {
  type: 'user.password_reset';
  data: UserData;
}

export interface UserRegistered extends CloudEventAttributes {
  type: 'user.registered';
  data: UserData;
}

/** A session of a user: a sign-in and its tokens. */
export interface UserSession {
  ID: string;
  /**
   * The time of the sign-in. In a session that is older than ANAGRAFE_SESSION_DAYS, a refresh within this
   * time.
   */
  SignedInAt: string;
  /** The time of the last refresh, or of the sign-in. */
  RefreshedAt: string;
  /** The session ends at this time if it is not refreshed before. */
  ExpiresAt: string;
}

/** The new state of a user. */
export type UserState = {
  State: State;
} & ({ ID: number; Username?: null } | { ID?: null; Username: string });

export interface UserStateChanged extends CloudEventAttributes {
  type: 'user.state_changed';
  data: UserStateData;
}

export interface UserStateData extends UserData {
  State: State;
}

export interface UserUpdateData extends UserData {
  /** The names of the changed fields. */
  Changed: string[];
}

export interface UserUpdated extends CloudEventAttributes {
  type: 'user.updated';
  data: UserUpdateData;
}

/** An endpoint that receives events. */
export interface Webhook {
  ID: number;
  ClientID: number | null;
  URL: string;
  /** The types of events to send. Empty for all events. */
  Types: EventType[];
  Granularity: Granularity;
  CreatedAt: string;
  DisabledAt: string | null;
  /** The reason as text, in the language of the request. */
  DisabledWhy: string | null;
  DisabledReason: DisabledReason | null;
  DisabledDetails: DeliveryFailureDetails | null;
}

export interface WebhookChange {
  Enabled?: boolean | null;
  /** The endpoint URL. It must use https, except in the networks of ANAGRAFE_WEBHOOK_NETWORKS. */
  URL?: string | null;
  Types?: EventType[] | EventType | null;
  Granularity?: Granularity | null;
}

export interface WebhookDisabled extends CloudEventAttributes {
  type: 'webhook.disabled';
  data: {
    /** The name of the operator at the console who did it; absent otherwise. */
    Operator?: string;
    WebhookID: number;
    URL: string;
  };
}

export interface WebhookTest {
  /** The header `webhook-id`. */
  ID: string;
  /** True if the receiver responded with 2xx. */
  Delivered: boolean;
  Status: number | null;
  /** The reason as text, in the language of the request. Null if `Status` explains the failure. */
  Failure: string | null;
  FailureCode: DeliveryFailureCode | null;
  FailureDetails: DeliveryFailureDetails | null;
  /** The beginning of the body of the last answer. It is untrusted text; do not render it as HTML. */
  Answer: string | null;
  Milliseconds: number;
}

export interface CloudEventAttributes {
  specversion: '1.0';
  /** The ID of the event. Send it as `after` to continue after this event. */
  id: string;
  source: string;
  subject?: string;
  time: string;
  datacontenttype: 'application/json';
}

export interface EditedPrincipal {
  Denomination?: string | null;
  Surname?: string | null;
  Name?: string | null;
  Vatnumber?: string | null;
  Taxcode?: string | null;
  Email?: string | null;
  Tags?: Tags | null;
  State?: State | null;
  /** Ignored. Present in failed records, which can be corrected and sent again. */
  FieldErrors?: unknown;
  /** Ignored, as `FieldErrors`. */
  Position?: unknown;
}

export interface EditedUser {
  Email?: string | null;
  Phone?: string | null;
  FirstName?: string | null;
  LastName?: string | null;
  /** A language tag (BCP 47), such as `it` or `de-CH`. */
  Language?: string | null;
  Attributes?: Attributes | null;
  /** True: after the next sign-in the user can only change its password. */
  MustChangePassword?: boolean | null;
}

export interface ListFilter {
  /**
   * Finds principals by the beginning of words, usernames, VAT numbers and tax codes. In `irs/users`, finds
   * users by the beginning of the username, of the email address, or of words of the first and last name,
   * and by the last digits of the phone number, at least four. Case and accents are ignored.
   */
  Search?: string | null;
  /** Page number, from 1. */
  Page?: number | null;
  /** Maximum number of elements per page. */
  PageSize?: number | null;
  /** Changed at this time or later: `2026-01-31` or `2026-01-31T08:00:00Z`. Without a zone it is UTC. */
  Date?: string | null;
  /** The ID of the principal. */
  ID?: number | null;
  /** The external key of the principal. */
  ExternalKey?: string | null;
  /** Only principals that have one of the tags, or their users. Case is ignored. */
  Tags?: string[] | null;
}

export interface NewUserValues {
  Username: string;
  Email?: string | null;
  Phone?: string | null;
  FirstName?: string | null;
  LastName?: string | null;
  /** A language tag (BCP 47), such as `it` or `de-CH`. */
  Language?: string | null;
  Attributes?: Attributes | null;
  ID?: null;
  Operation?: 'register' | null;
  /** True: after the next sign-in the user can only change its password. */
  MustChangePassword?: boolean | null;
  Invite?: null;
}

export interface StoredPrincipal {
  ID: number;
  ExternalKey: string | null;
  Denomination: string | null;
  Surname: string | null;
  Name: string | null;
  Vatnumber: string | null;
  Taxcode: string | null;
  Email: string | null;
  Tags: Tags | null;
  State: State;
  CreatedAt: string;
  UpdatedAt: string;
  /** Number of all users of the principal. */
  UsersCount: number;
  /**
   * The external keys of principals that were merged into this one, which name it, too. Absent without any.
   */
  Aliases?: string[];
}

export interface TupleItems {
  /** The ID of the principal. If the record was not applied, the ID that was sent. */
  Item1: number | null;
  /** The error code if the record was not applied, otherwise null. */
  Item2: ErrorCode | null;
  /** True if the record was applied. */
  Item3: boolean;
  /** The error message if the record was not applied, otherwise null. */
  Item4: string | null;
  /** The field errors by path, such as `Users[0].Password`. */
  Item5: Record<string, FieldError[]>;
}

/** A page of what was asked for. */
export interface Page<Item, About = null> {
  totalCount: number;
  totalPages: number;
  page: number;
  count: number;
  records: Item[];
  /** The one thing that the answer is about. */
  record: About;
}

/** The one form of every answer. */
export interface Envelope<Item, About = null> {
  statusCode: number;
  errorCode: ErrorCode | null;
  message: string | null;
  result: Page<Item, About> | null;
  debug: Debug | null;
}

/** What every call takes and answers, by its name in the document. */
export interface Operations {
  /** Get the console session. */
  consoleSession: { request: Record<string, never>; answer: Envelope<never, ConsoleSession> };
  /** Sign in to the console. */
  signInAtConsole: { request: { body: ConsoleKeys }; answer: Envelope<never, ConsoleSession> };
  /** Sign out of the console. */
  signOutAtConsole: { request: Record<string, never>; answer: Envelope<never, ConsoleSession> };
  /** Sign in to the console as an operator. */
  signInOperator: { request: { body: OperatorSignIn }; answer: Envelope<never, null> };
  /** Confirm the identity of the operator. */
  confirmOperator: { request: { body: OperatorConfirmation }; answer: Envelope<never, null> };
  /** Create the secret of a second factor. */
  beginSecondFactor: { request: Record<string, never>; answer: Envelope<never, SecondFactorSecret> };
  /** Set up the second factor. */
  enrolSecondFactor: { request: { body: SecondFactorCode }; answer: Envelope<never, RecoveryCodes> };
  /** Set the password of an operator with a code. */
  setOperatorPassword: { request: { body: OperatorPassword }; answer: Envelope<never, OperatorOfCode> };
  /** Report a forgotten password of an operator. */
  forgotOperatorPassword: { request: { body: ForgottenOperatorPassword }; answer: Envelope<never, null> };
  /** Change the own password of an operator. */
  changeOperatorPassword: { request: { body: NewOperatorPassword }; answer: Envelope<never, OperatorOfCode> };
  /** List the own sessions of an operator. */
  ownOperatorSessions: { request: Record<string, never>; answer: Envelope<OperatorSession, null> };
  /** End the other sessions of an operator. */
  endOtherOperatorSessions: { request: Record<string, never>; answer: Envelope<never, EndedOperatorSessions> };
  /** End one own session of an operator. */
  endOwnOperatorSession: { request: { path: { session: string } }; answer: Envelope<never, null> };
  /** Register, edit and delete users, reset passwords, edit principals. */
  update: {
    request: {
      query?: { perMinute?: number | undefined; dryRun?: boolean | undefined };
      body: UpdateRecord[];
    };
    answer: Envelope<Tuple, Estimate | null> | Envelope<Tuple, Job>;
  };
  /** Create principals. */
  insert: {
    request: {
      query?: {
        similar?: 'allow' | 'refuse' | undefined;
        perMinute?: number | undefined;
        dryRun?: boolean | undefined;
      };
      body: InsertRecord[];
    };
    answer: Envelope<Tuple, Estimate | null> | Envelope<Tuple, Job>;
  };
  /** Disable and enable principals and users. */
  state: {
    request: { query?: { dryRun?: boolean | undefined }; body: StateRecord[] };
    answer: Envelope<Tuple, Estimate | null> | Envelope<Tuple, Job>;
  };
  /** Invite users to set their passwords. */
  invite: {
    request: {
      query?: { perMinute?: number | undefined; dryRun?: boolean | undefined };
      body: InviteRecord[];
    };
    answer: Envelope<Tuple, Estimate | null> | Envelope<Tuple, Job>;
  };
  /** Delete principals and users. */
  delete: {
    request: { query?: { dryRun?: boolean | undefined }; body: DeleteRecord[] };
    answer: Envelope<Tuple, Estimate | null> | Envelope<Tuple, Job>;
  };
  /** Insert and update principals with their users. */
  upsert: {
    request: {
      query?: {
        missing?: 'keep' | 'disable' | 'delete' | undefined;
        passwords?: 'keep' | 'overwrite' | undefined;
        existing?: 'update' | 'refuse' | undefined;
        moves?: 'refuse' | 'allow' | undefined;
        similar?: 'allow' | 'refuse' | undefined;
        perMinute?: number | undefined;
        dryRun?: boolean | undefined;
        changed?: boolean | undefined;
        page?: number | undefined;
        pageSize?: number | undefined;
      };
      body: UpsertRecord[];
    };
    answer: Envelope<UpsertTuple, UpsertCounts | UpsertPlan> | Envelope<Tuple, Job>;
  };
  /** Merge principals. */
  merge: {
    request: {
      query?: {
        dryRun?: boolean | undefined;
        changed?: boolean | undefined;
        page?: number | undefined;
        pageSize?: number | undefined;
      };
      body: MergeRecord[];
    };
    answer: Envelope<UpsertTuple, UpsertCounts | UpsertPlan> | Envelope<Tuple, Job>;
  };
  /** List principals with their users. */
  list: { request: { body: PrincipalFilter }; answer: Envelope<Principal, null> };
  /** List users. */
  users: { request: { body: UserFilter }; answer: Envelope<UserOfPrincipal, null> };
  /** Export principals and users. */
  exportRecords: {
    request: {
      query?: {
        id?: number | undefined;
        externalKey?: string | undefined;
        tags?: string | undefined;
        format?: 'ndjson' | 'csv' | 'spreadsheet' | undefined;
        separator?: ',' | ';' | 'tab' | undefined;
        hashes?: boolean | undefined;
      };
    };
    answer: ExportedPrincipal;
  };
  /** List jobs. */
  jobs: {
    request: { query?: { page?: number | undefined; pageSize?: number | undefined } };
    answer: Envelope<Job, null>;
  };
  /** Get a job. */
  job: {
    request: {
      path: { id: string };
      query?: { page?: number | undefined; pageSize?: number | undefined; failed?: boolean | undefined };
    };
    answer: Envelope<Tuple, JobWithTuples>;
  };
  /** Cancel a job. */
  cancelJob: { request: { path: { id: string } }; answer: Envelope<Tuple, Job> };
  /** Get the failed records of a job. */
  failedRecords: { request: { path: { id: string } }; answer: FailedRecord[] };
  /** Issue the codes of the users that a job has invited. */
  issueInvitations: {
    request: { path: { id: string }; query?: { format?: 'ndjson' | 'csv' | 'spreadsheet' | undefined } };
    answer: JobInvitation;
  };
  /** List events. */
  events: {
    request: {
      query?: {
        order?: 'oldest' | 'newest' | undefined;
        after?: string | undefined;
        pageSize?: number | undefined;
      };
    };
    answer: Envelope<CloudEvent, Feed>;
  };
  /** Sign in. */
  login: { request: { body: Credentials }; answer: Envelope<never, Login> };
  /** Refresh the tokens. */
  refresh: { request: { body: { RefreshToken: string } }; answer: Envelope<never, Login> };
  /** Sign out. */
  logout: { request: Record<string, never>; answer: Envelope<never, null> };
  /** Report a forgotten password. */
  forgotPassword: { request: { body: ForgottenPassword }; answer: Envelope<never, null> };
  /** Set the password with a code. */
  setPassword: { request: { body: CodeAndPassword }; answer: Envelope<never, UserOfCode> };
  /** Check a new password. */
  checkPassword: { request: { body: PasswordToCheck }; answer: Envelope<never, RefusedPassword> };
  /** List your own sessions. */
  sessions: {
    request: { query?: { page?: number | undefined; pageSize?: number | undefined } };
    answer: Envelope<OwnSession, null>;
  };
  /** Sign out everywhere. */
  endSessions: { request: Record<string, never>; answer: Envelope<never, EndedSessions> };
  /** End one of your own sessions. */
  endSession: { request: { path: { session: string } }; answer: Envelope<never, null> };
  /** List API clients. */
  clients: { request: Record<string, never>; answer: Envelope<Client, null> };
  /** Create an API client. */
  createClient: { request: { body: CreateClient }; answer: Envelope<never, NewClient> };
  /** Change an API client. */
  changeClient: { request: { path: { publicKey: string }; body: ClientChange }; answer: Envelope<never, Client> };
  /** Revoke an API client. */
  revokeClient: { request: { path: { publicKey: string } }; answer: Envelope<never, null> };
  /** Rotate the secret key of an API client. */
  rotateClient: {
    request: {
      path: { publicKey: string };
      body: {
        /** Hours until the old secret ends. */
        Hours?: number | null;
      };
    };
    answer: Envelope<never, NewSecret>;
  };
  /** List operators. */
  operators: { request: Record<string, never>; answer: Envelope<Operator, null> };
  /** Create an operator. */
  createOperator: { request: { body: CreateOperator }; answer: Envelope<never, InvitedOperator> };
  /** Change an operator. */
  changeOperator: { request: { path: { id: number }; body: OperatorChange }; answer: Envelope<never, Operator> };
  /** Reset the password and the second factor of an operator. */
  resetOperator: {
    request: { path: { id: number }; body: ResetOperator };
    answer: Envelope<never, InvitedOperator>;
  };
  /** List the sessions of an operator. */
  operatorSessions: { request: { path: { id: number } }; answer: Envelope<OperatorSession, null> };
  /** End the sessions of an operator. */
  endOperatorSessions: { request: { path: { id: number } }; answer: Envelope<never, EndedOperatorSessions> };
  /** End one session of an operator. */
  endOperatorSession: { request: { path: { id: number; session: string } }; answer: Envelope<never, null> };
  /** List synchronous calls. */
  completedCalls: {
    request: {
      query?: { page?: number | undefined; pageSize?: number | undefined; failed?: boolean | undefined };
    };
    answer: Envelope<CompletedCall, null>;
  };
  /** Get a synchronous call. */
  completedCall: {
    request: {
      path: { id: string };
      query?: { page?: number | undefined; pageSize?: number | undefined; failed?: boolean | undefined };
    };
    answer: Envelope<Tuple, CallWithTuples>;
  };
  /** Get the failed records of a call. */
  failedRecordsOfCall: { request: { path: { id: string } }; answer: FailedRecord[] };
  /** List failed records. */
  failures: {
    request: { query?: { page?: number | undefined; pageSize?: number | undefined } };
    answer: Envelope<Failure, null>;
  };
  /** List runs. */
  runs: {
    request: { query?: { page?: number | undefined; pageSize?: number | undefined } };
    answer: Envelope<Run, null>;
  };
  /** Get a run. */
  run: {
    request: { path: { id: string }; query?: { page?: number | undefined; pageSize?: number | undefined } };
    answer: Envelope<RunCall, Run>;
  };
  /** Undo a run. */
  undoRun: {
    request: {
      path: { id: string };
      query?: {
        dryRun?: boolean | undefined;
        changed?: boolean | undefined;
        page?: number | undefined;
        pageSize?: number | undefined;
      };
    };
    answer: Envelope<UpsertTuple, UpsertCounts | UpsertPlan> | Envelope<Tuple, Job>;
  };
  /** List the jobs of all clients. */
  allJobs: {
    request: {
      query?: {
        page?: number | undefined;
        pageSize?: number | undefined;
        open?: boolean | undefined;
        failed?: boolean | undefined;
      };
    };
    answer: Envelope<Job, null>;
  };
  /** List mails. */
  mails: {
    request: {
      query?: {
        state?: 'pending' | 'sent' | 'failed' | 'stopped' | undefined;
        callId?: string | undefined;
        run?: string | undefined;
        user?: number | undefined;
        page?: number | undefined;
        pageSize?: number | undefined;
      };
    };
    answer: Envelope<Mail, null>;
  };
  /** Send invitations by mail again. */
  resendMails: { request: { body: ResendMails }; answer: Envelope<never, ResentMails> };
  /** List the audit log. */
  audit: {
    request: {
      query?: {
        order?: 'oldest' | 'newest' | undefined;
        after?: number | undefined;
        principal?: number | undefined;
        user?: number | undefined;
        signIns?: boolean | undefined;
        action?: AuditAction | undefined;
        actor?: 'client' | 'console' | 'user' | 'protected' | 'operator' | 'service' | undefined;
        client?: number | undefined;
        from?: string | undefined;
        until?: string | undefined;
        reads?: boolean | undefined;
        pageSize?: number | undefined;
      };
    };
    answer: Envelope<AuditRow, AuditPage>;
  };
  /** List the changed values of an audit row. */
  auditChanges: {
    request: {
      path: { position: number };
      query?: { after?: number | undefined; pageSize?: number | undefined };
    };
    answer: Envelope<AuditChange, AuditPage>;
  };
  /** Verify the audit log. */
  verifyAudit: { request: Record<string, never>; answer: Envelope<never, AuditVerification> };
  /** List webhooks. */
  webhooks: { request: Record<string, never>; answer: Envelope<Webhook, null> };
  /** Create a webhook. */
  createWebhook: { request: { body: CreateWebhook }; answer: Envelope<never, NewWebhook> };
  /** Change, disable or enable a webhook. */
  changeWebhook: { request: { path: { id: number }; body: WebhookChange }; answer: Envelope<never, Webhook> };
  /** Delete a webhook. */
  deleteWebhook: { request: { path: { id: number } }; answer: Envelope<never, null> };
  /** Send a test event. */
  testWebhook: { request: { path: { id: number } }; answer: Envelope<never, WebhookTest> };
  /** Rotate the secret of a webhook. */
  rotateWebhook: {
    request: {
      path: { id: number };
      body: {
        /** Hours until the old secret ends. */
        Hours?: number | null;
      };
    };
    answer: Envelope<never, NewWebhookSecret>;
  };
  /** List the deliveries of a webhook. */
  deliveries: {
    request: {
      path: { id: number };
      query?: { page?: number | undefined; pageSize?: number | undefined; failed?: boolean | undefined };
    };
    answer: Envelope<Delivery, Webhook>;
  };
  /** Get a delivery. */
  delivery: { request: { path: { id: number; delivery: string } }; answer: Envelope<never, DeliveryDetails> };
  /** Retry all failed deliveries. */
  replayFailed: { request: { path: { id: number } }; answer: Envelope<never, Replayed> };
  /** Retry a delivery. */
  replay: { request: { path: { id: number; delivery: string } }; answer: Envelope<never, Replayed> };
  /** Get statistics. */
  statistics: { request: Record<string, never>; answer: Envelope<never, Statistics> };
  /** List the sessions of a user. */
  userSessions: {
    request: { path: { id: number }; query?: { page?: number | undefined; pageSize?: number | undefined } };
    answer: Envelope<UserSession, null>;
  };
  /** End all sessions of a user. */
  endUserSessions: { request: { path: { id: number } }; answer: Envelope<never, EndedSessions> };
  /** End a session of a user. */
  endUserSession: { request: { path: { id: number; session: string } }; answer: Envelope<never, null> };
  /** List settings. */
  settings: { request: Record<string, never>; answer: Envelope<Setting, null> };
  /** Get the state of the service. */
  healthReport: { request: Record<string, never>; answer: Envelope<never, HealthReport> };
}

/** Where every call goes. */
export const routes = {
  consoleSession: { method: 'GET', path: '/console/session' },
  signInAtConsole: { method: 'POST', path: '/console/session' },
  signOutAtConsole: { method: 'DELETE', path: '/console/session' },
  signInOperator: { method: 'POST', path: '/console/session/operator' },
  confirmOperator: { method: 'POST', path: '/console/session/confirm' },
  beginSecondFactor: { method: 'POST', path: '/console/second-factor' },
  enrolSecondFactor: { method: 'POST', path: '/console/second-factor/confirm' },
  setOperatorPassword: { method: 'POST', path: '/console/password' },
  forgotOperatorPassword: { method: 'POST', path: '/console/password/forgot' },
  changeOperatorPassword: { method: 'POST', path: '/console/password/change' },
  ownOperatorSessions: { method: 'GET', path: '/console/sessions' },
  endOtherOperatorSessions: { method: 'DELETE', path: '/console/sessions' },
  endOwnOperatorSession: { method: 'DELETE', path: '/console/sessions/{session}' },
  update: { method: 'POST', path: '/api/sync/v1/irs/update' },
  insert: { method: 'POST', path: '/api/sync/v1/irs/insert' },
  state: { method: 'POST', path: '/api/sync/v1/irs/state' },
  invite: { method: 'POST', path: '/api/sync/v1/irs/invite' },
  delete: { method: 'POST', path: '/api/sync/v1/irs/delete' },
  upsert: { method: 'POST', path: '/api/sync/v1/irs/upsert' },
  merge: { method: 'POST', path: '/api/sync/v1/irs/merge' },
  list: { method: 'POST', path: '/api/sync/v1/irs/list' },
  users: { method: 'POST', path: '/api/sync/v1/irs/users' },
  exportRecords: { method: 'GET', path: '/api/sync/v1/irs/export' },
  jobs: { method: 'GET', path: '/api/sync/v1/jobs' },
  job: { method: 'GET', path: '/api/sync/v1/jobs/{id}' },
  cancelJob: { method: 'DELETE', path: '/api/sync/v1/jobs/{id}' },
  failedRecords: { method: 'GET', path: '/api/sync/v1/jobs/{id}/failed' },
  issueInvitations: { method: 'POST', path: '/api/sync/v1/jobs/{id}/invitations' },
  events: { method: 'GET', path: '/api/sync/v1/events' },
  login: { method: 'POST', path: '/api/sync/v1/login' },
  refresh: { method: 'POST', path: '/api/sync/v1/login/refresh' },
  logout: { method: 'POST', path: '/api/sync/v1/logout' },
  forgotPassword: { method: 'POST', path: '/api/sync/v1/password/forgot' },
  setPassword: { method: 'POST', path: '/api/sync/v1/password/set' },
  checkPassword: { method: 'POST', path: '/api/sync/v1/password/check' },
  sessions: { method: 'GET', path: '/api/sync/v1/sessions' },
  endSessions: { method: 'DELETE', path: '/api/sync/v1/sessions' },
  endSession: { method: 'DELETE', path: '/api/sync/v1/sessions/{session}' },
  clients: { method: 'GET', path: '/admin/v1/clients' },
  createClient: { method: 'POST', path: '/admin/v1/clients' },
  changeClient: { method: 'PATCH', path: '/admin/v1/clients/{publicKey}' },
  revokeClient: { method: 'DELETE', path: '/admin/v1/clients/{publicKey}' },
  rotateClient: { method: 'POST', path: '/admin/v1/clients/{publicKey}/rotate' },
  operators: { method: 'GET', path: '/admin/v1/operators' },
  createOperator: { method: 'POST', path: '/admin/v1/operators' },
  changeOperator: { method: 'PATCH', path: '/admin/v1/operators/{id}' },
  resetOperator: { method: 'POST', path: '/admin/v1/operators/{id}/reset' },
  operatorSessions: { method: 'GET', path: '/admin/v1/operators/{id}/sessions' },
  endOperatorSessions: { method: 'DELETE', path: '/admin/v1/operators/{id}/sessions' },
  endOperatorSession: { method: 'DELETE', path: '/admin/v1/operators/{id}/sessions/{session}' },
  completedCalls: { method: 'GET', path: '/admin/v1/calls' },
  completedCall: { method: 'GET', path: '/admin/v1/calls/{id}' },
  failedRecordsOfCall: { method: 'GET', path: '/admin/v1/calls/{id}/failed' },
  failures: { method: 'GET', path: '/admin/v1/failures' },
  runs: { method: 'GET', path: '/admin/v1/runs' },
  run: { method: 'GET', path: '/admin/v1/runs/{id}' },
  undoRun: { method: 'POST', path: '/admin/v1/runs/{id}/undo' },
  allJobs: { method: 'GET', path: '/admin/v1/jobs' },
  mails: { method: 'GET', path: '/admin/v1/mails' },
  resendMails: { method: 'POST', path: '/admin/v1/mails/resend' },
  audit: { method: 'GET', path: '/admin/v1/audit' },
  auditChanges: { method: 'GET', path: '/admin/v1/audit/{position}/changes' },
  verifyAudit: { method: 'GET', path: '/admin/v1/audit/verify' },
  webhooks: { method: 'GET', path: '/admin/v1/webhooks' },
  createWebhook: { method: 'POST', path: '/admin/v1/webhooks' },
  changeWebhook: { method: 'PATCH', path: '/admin/v1/webhooks/{id}' },
  deleteWebhook: { method: 'DELETE', path: '/admin/v1/webhooks/{id}' },
  testWebhook: { method: 'POST', path: '/admin/v1/webhooks/{id}/test' },
  rotateWebhook: { method: 'POST', path: '/admin/v1/webhooks/{id}/rotate' },
  deliveries: { method: 'GET', path: '/admin/v1/webhooks/{id}/deliveries' },
  delivery: { method: 'GET', path: '/admin/v1/webhooks/{id}/deliveries/{delivery}' },
  replayFailed: { method: 'POST', path: '/admin/v1/webhooks/{id}/replay' },
  replay: { method: 'POST', path: '/admin/v1/webhooks/{id}/deliveries/{delivery}/replay' },
  statistics: { method: 'GET', path: '/admin/v1/statistics' },
  userSessions: { method: 'GET', path: '/admin/v1/users/{id}/sessions' },
  endUserSessions: { method: 'DELETE', path: '/admin/v1/users/{id}/sessions' },
  endUserSession: { method: 'DELETE', path: '/admin/v1/users/{id}/sessions/{session}' },
  settings: { method: 'GET', path: '/admin/v1/settings' },
  healthReport: { method: 'GET', path: '/admin/v1/health' },
} as const satisfies Record<keyof Operations, { method: string; path: string }>;

/** The descriptive fields of a principal. */
export const principalFields = {
  ExternalKey: { format: 'key', maxLength: 128, headings: ['Codice cliente', 'Codice esterno', 'Chiave esterna', 'Customer code'] },
  Denomination: { format: 'text', maxLength: 255, headings: ['Ragione sociale', 'Denominazione', 'Company', 'Company name', 'Azienda'] },
  Surname: { format: 'text', maxLength: 255, headings: ['Cognome'] },
  Name: { format: 'text', maxLength: 255, headings: ['Nome'] },
  Vatnumber: { format: 'text', maxLength: 64, headings: ['Partita IVA', 'P.IVA', 'VAT'] },
  Taxcode: { format: 'text', maxLength: 64, headings: ['Codice fiscale'] },
  Email: { format: 'email', maxLength: 254, headings: ['Email azienda', 'Company email'] },
  Tags: { format: 'tags', maxLength: 40, headings: ['Etichette', 'Tag', 'Labels'] },
} as const;

/** The descriptive fields of a user. */
export const userFields = {
  Email: { format: 'email', maxLength: 254, headings: ['Posta elettronica', 'Mail', 'Email address', 'Indirizzo email'] },
  Phone: { format: 'text', maxLength: 64, headings: ['Telefono', 'Phone number', 'Cellulare'] },
  FirstName: { format: 'text', maxLength: 255, headings: ['Given name', 'Nome di battesimo'] },
  LastName: { format: 'text', maxLength: 255, headings: ['Family name'] },
  Language: { format: 'language', maxLength: 35, headings: ['Lingua', 'Locale'] },
  Attributes: { format: 'attributes', maxLength: 1024, headings: ['Attributi'] },
} as const;
