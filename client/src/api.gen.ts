// Written by scripts/generate-client.mjs from server/openapi.json and server/src/records/fields.ts. Do not edit.

/**
 * A user that was written, and what was done to it. Username and Email of a user that existed before are
 * null where the caller does not have the scope `sync:read`.
 */
export interface AppliedUser {
  ID: number;
  Username: string | null;
  Email: string | null;
  Operation: 'register' | 'reset' | 'state';
}

export interface AuditPage {
  /** What to give as `after` to read on. */
  After: number;
  /** Whether there is more at once. */
  More: boolean;
}

export interface AuditRow {
  Position: number;
  ID: number;
  At: string;
  Actor: 'client' | 'console' | 'user' | 'protected' | 'operator' | 'service';
  ClientID: number | null;
  UserID: number | null;
  Address: string | null;
  RequestId: string | null;
  CallID: string | null;
  Action: string;
  IRID: number | null;
  Registered: number[] | null;
  Reset: number[] | null;
  Details: Record<string, unknown> | null;
  /** Over the row and the seal before it, in hexadecimal digits. */
  Hash: string;
}

export interface AuditVerification {
  Sound: boolean;
  /** How many rows hold, from the beginning on. */
  Rows: number;
  /** The first place where the journal does not hold. */
  Position: number | null;
  Error: 'changed' | 'removed' | 'inserted' | 'cut off' | null;
  LastPosition: number | null;
  LastHash: string | null;
}

export interface CallCompleted extends CloudEventAttributes {
  type: 'call.completed';
  data: {
    RequestId: string | null;
    Operation: Operation;
    Records: number;
    RecordsFailed: number;
    Users: number;
    UsersApplied: number;
  };
}

/** A call, beside a page of its tuples. */
export interface CallWithTuples extends CompletedCall {
  /**
   * Which record of the call each tuple of `result.records` belongs to, from 0, as `Position` in the retry
   * kit.
   */
  Positions: number[];
}

export interface Client {
  ID: number;
  PublicKey: string;
  Name: string;
  Scopes: Scope[];
  /** Where it may call from; anywhere when empty. */
  Networks: string[];
  /** Whether a call from its networks needs no credential. */
  KnownByAddress: boolean;
  CreatedAt: string;
  RevokedAt: string | null;
}

export interface ClientChange {
  Name?: string | null;
  Scopes?: Scope[] | null;
  Networks?: string[] | null;
  KnownByAddress?: boolean | null;
}

/** CloudEvents 1.0: what happened, by `type`. */
export type CloudEvent =
  | PrincipalInserted
  | PrincipalStateChanged
  | UserRegistered
  | UserPasswordReset
  | UserStateChanged
  | CallCompleted
  | JobCompleted
  | WebhookDisabled;

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
  Milliseconds: number;
}

export interface ConsoleKeys {
  PublicKey: string;
  SecretKey: string;
}

export interface ConsoleSession {
  State: 'protected' | 'signed-in' | 'signed-out';
  Client: { PublicKey: string; Name: string } | null;
  ExpiresAt: string | null;
}

export interface CreateClient {
  Name: string;
  Scopes?: Scope[] | null;
  Networks?: string[] | null;
  KnownByAddress?: boolean | null;
}

export interface CreateWebhook {
  /** Https; http for the networks that a setting names. */
  URL: string;
  Types?: EventType[] | EventType | null;
  Granularity?: Granularity | null;
}

export interface Credentials {
  Username: string;
  Password: string;
  /** The IP address of the user. Only an API client may pass it on. */
  Address?: string | null;
}

export interface Debug {
  RequestTime: string;
  ResponseTime: string;
  /** In milliseconds. */
  Duration: number;
  ClientIP: string;
  RequestId: string;
}

export interface Delivery {
  /** The `webhook-id`, the same at every attempt. */
  ID: string;
  Type: EventType | 'webhook.test';
  State: 'pending' | 'delivered' | 'failed';
  Attempts: number;
  CreatedAt: string;
  NextAt: string | null;
  AttemptedAt: string | null;
  /** What the receiver answered last. */
  Status: number | null;
  /** Why there was no answer, or none that counts, as text in the language of the request. */
  Failure: string | null;
  FailureCode: DeliveryFailureCode | null;
  FailureDetails: DeliveryFailureDetails | null;
}

export interface DeliveryDetails extends Delivery {
  /** The body as it is sent, a CloudEvent in JSON; null where what it tells of is no longer kept. */
  Message: string | null;
  /** The beginning of what the receiver answered last: text of anybody, never HTML to show. */
  Answer: string | null;
  /** How long the last attempt took until its status was there. */
  Milliseconds: number | null;
}

/** Why a message was not delivered. */
export type DeliveryFailureCode =
  | 'http_status'
  | 'timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_timeout'
  | 'name_not_resolved'
  | 'unreachable'
  | 'tls_error'
  | 'invalid_response'
  | 'network_error'
  | 'internal_address'
  | 'plain_http'
  | 'event_expired';

export interface DeliveryFailureDetails {
  /** The status of the response, with `http_status`. */
  Status: number | null;
  /** The error code of Node.js, such as `ECONNREFUSED`. */
  NetworkError: string | null;
  /** The time limit in milliseconds, with `timeout`. */
  TimeoutMs: number | null;
}

/** Why an endpoint was disabled. */
export type DisabledReason = 'manual' | 'client_revoked' | 'client_lost_admin' | DeliveryFailureCode;

export type ErrorCode =
  | 'INVALID_JSON'
  | 'INVALID_BODY'
  | 'INVALID_PARAMETER'
  | 'INVALID_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'BODY_TOO_LARGE'
  | 'BATCH_TOO_LARGE'
  | 'PARTIALLY_APPLIED'
  | 'NOTHING_APPLIED'
  | 'JOB_NOT_FOUND'
  | 'CALL_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'INVALID_CLIENT'
  | 'CLIENT_ADDRESS_TAKEN'
  | 'CLIENT_NOT_FOUND'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'OVERLOADED'
  | 'UNAVAILABLE'
  | 'INTERNAL'
  | 'INVALID_RECORD'
  | 'INVALID_USERS'
  | 'PRINCIPAL_NOT_FOUND'
  | 'PRINCIPAL_DISABLED'
  | 'USER_NOT_FOUND'
  | 'USERNAME_TAKEN'
  | 'EXTERNAL_KEY_TAKEN'
  | 'OUTCOME_UNKNOWN'
  | 'NOT_APPLIED'
  | 'RECORD_FAILED'
  | 'CANCELLED'
  | 'REQUIRED'
  | 'MORE_ERRORS'
  | 'UNKNOWN_FIELD'
  | 'WRONG_TYPE'
  | 'INVALID_ID'
  | 'INVALID_STATE'
  | 'NO_USERS'
  | 'AMBIGUOUS_PRINCIPAL'
  | 'AMBIGUOUS_USER'
  | 'UNRECOGNISED_USER'
  | 'DUPLICATE_USER'
  | 'EMPTY_PRINCIPAL'
  | 'TEXT_EMPTY'
  | 'TEXT_TOO_LONG'
  | 'TEXT_CHARACTERS'
  | 'USERNAME_TOO_LONG'
  | 'USERNAME_SPACES'
  | 'USERNAME_CHARACTERS'
  | 'USERNAME_DIRECTION'
  | 'EMAIL_INVALID'
  | 'EMAIL_TOO_LONG'
  | 'PASSWORD_TOO_SHORT'
  | 'PASSWORD_TOO_LONG'
  | 'PASSWORD_CHARACTERS'
  | 'PASSWORD_COMMON'
  | 'PASSWORD_IS_USERNAME'
  | 'PASSWORD_IS_EMAIL'
  | 'PASSWORD_MISMATCH'
  | 'PASSWORD_BESIDE_HASH'
  | 'PASSWORD_HASH_INVALID'
  | 'PASSWORD_HASH_COST'
  | 'CURRENT_PASSWORD_WRONG';

/** What a dry run would do. */
export interface Estimate {
  /** How many users would be registered. */
  Register: number;
  /** How many passwords would be reset. */
  Reset: number;
  /** How many records would not be applied. */
  RecordsFailed: number;
  /** How long it would take. */
  EstimatedSeconds: number;
}

export type EventType =
  | 'principal.inserted'
  | 'principal.state_changed'
  | 'user.registered'
  | 'user.password_reset'
  | 'user.state_changed'
  | 'call.completed'
  | 'job.completed'
  | 'webhook.disabled';

/** The record as it was sent, its secrets null, with its place in the call (from 0) and its faults. */
export interface FailedRecord {
  Position: number;
  FieldErrors: Record<string, FieldError[]>;
  [field: string]: unknown;
}

export interface Failure {
  At: string;
  CallID: string;
  /** The same, where the call is a job. */
  JobID: string | null;
  Operation: Operation;
  ClientID: number | null;
  /** Of the record in the call. */
  Position: number;
  /** The ID of the principal. */
  ID: number | null;
  Code: ErrorCode;
  Message: string;
  /** Those of the first 20 places. */
  FieldErrors: Record<string, FieldError[]>;
  /** How many places have faults. */
  FieldErrorsCount: number;
}

export interface Feed {
  /** What to give as `after` to read on. */
  After: string | null;
  /** Whether there is more at once. */
  More: boolean;
}

export interface FieldError {
  code: ErrorCode;
  message: string;
}

/** What one message tells of. */
export type Granularity = 'user' | 'record' | 'job';

export interface Hashing {
  WaitingInteractive: number;
  WaitingBulk: number;
  Running: number;
  /** Made in the last ten seconds. */
  HashesPerSecond: number;
  /** Hashes per second that this node could make. */
  Capacity: number;
}

/** A principal to create. */
export interface InsertRecord {
  ExternalKey?: string | null;
  Denomination?: string | null;
  Surname?: string | null;
  Name?: string | null;
  Vatnumber?: string | null;
  Taxcode?: string | null;
  Email?: string | null;
  Users?: (Registration | RegistrationWithHash)[] | null;
  /** Of a failed record that is sent again; passed over. */
  FieldErrors?: unknown;
  /** The same. */
  Position?: unknown;
}

/** A call that is done later. */
export interface Job {
  ID: string;
  ClientID: number | null;
  State: 'queued' | 'running' | 'completed' | 'cancelled';
  Operation: Operation;
  /** How many were sent. */
  Records: number;
  /** How many have their outcome, whatever it is. */
  RecordsDone: number;
  /** How many of those were not applied. */
  RecordsFailed: number;
  /** How many were sent. */
  Users: number;
  /** The users of the records that are done. */
  UsersDone: number;
  UsersPerSecond: number | null;
  SubmittedAt: string;
  StartedAt: string | null;
  /** Null while something is left to do. */
  EndedAt: string | null;
  EstimatedEnd: string | null;
}

export interface JobCompleted extends CloudEventAttributes {
  type: 'job.completed';
  data: {
    JobID: string;
    Operation: Operation;
    State: 'completed' | 'cancelled';
    Records: number;
    RecordsFailed: number;
    Users: number;
    UsersApplied: number;
  };
}

/** A job, beside a page of its tuples. */
export interface JobWithTuples extends Job {
  /**
   * Which record of the call each tuple of `result.records` belongs to, from 0, as `Position` in the retry
   * kit.
   */
  Positions: number[];
}

/** Of a user who has signed in. */
export interface Login {
  IRID: number;
  UserID: number;
  Username: string;
  Denomination: string | null;
  Surname: string | null;
  Name: string | null;
  /** Opaque; for the header `AccessToken`. */
  Token: string;
  /** Good for one exchange. */
  RefreshToken: string;
  TokenExpiration: string;
}

export interface NewClient extends Client {
  /** Shown only here. */
  SecretKey: string;
}

export interface NewSecret {
  PublicKey: string;
  /** Shown only here. */
  SecretKey: string;
  OldEndsAt: string;
}

export interface NewWebhook extends Webhook {
  /** whsec_…, shown only here. */
  Secret: string;
}

export interface NewWebhookSecret {
  ID: number;
  /** whsec_…, shown only here. */
  Secret: string;
  OldEndsAt: string;
}

export type Operation = 'update' | 'insert' | 'state';

/** A customer or a company, with its users. */
export interface Principal {
  ID: number;
  ExternalKey: string | null;
  Denomination: string | null;
  Surname: string | null;
  Name: string | null;
  Vatnumber: string | null;
  Taxcode: string | null;
  Email: string | null;
  State: State;
  CreatedAt: string;
  UpdatedAt: string;
  UsersCount: number;
  /** The first 1,000. */
  Users: User[];
}

export interface PrincipalFilter {
  /** What words of the texts, or the username, begin with. */
  Search?: string | null;
  Page?: number | null;
  PageSize?: number | null;
  /** What changed since: 2026-01-31 or 2026-01-31T08:00:00Z. */
  Date?: string | null;
  /** Of one principal. */
  ID?: number | null;
  /** Of one principal. */
  ExternalKey?: string | null;
  /** How many users of a principal stand in it. */
  UsersShown?: number | null;
}

export interface PrincipalInserted extends CloudEventAttributes {
  type: 'principal.inserted';
  data: { IRID: number };
}

export interface PrincipalStateChanged extends CloudEventAttributes {
  type: 'principal.state_changed';
  data: { IRID: number; State: State };
}

export interface Registration {
  Username: string;
  Email?: string | null;
  Phone?: string | null;
  ID?: null;
  /** 8 to 128 characters, none of the common ones. */
  Password: string;
  /** The same as Password. */
  ConfirmPassword: string;
  PasswordHash?: null;
}

export interface RegistrationWithHash {
  Username: string;
  Email?: string | null;
  Phone?: string | null;
  ID?: null;
  /**
   * argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) or ASP.NET Core Identity, in place of the
   * password.
   */
  PasswordHash: string;
  Password?: null;
  ConfirmPassword?: null;
}

export interface Replayed {
  /** How many messages are sent again. */
  Replayed: number;
}

export interface Reset {
  ID: number;
  /** 8 to 128 characters, none of the common ones. */
  Password: string;
  /** The same as Password. */
  ConfirmPassword: string;
  /** Of a signed-in user who resets its own password. */
  CurrentPassword?: string | null;
  Username?: null;
  Email?: null;
  Phone?: null;
  PasswordHash?: null;
}

export type Scope = 'sync:write' | 'sync:read' | 'admin';

/** What was done in an hour or on a day. */
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

/** The state of a principal, of some of its users, or of both. */
export interface StateRecord {
  ID: number;
  State?: State | null;
  Users?: UserState[] | null;
  /** Of a failed record that is sent again; passed over. */
  FieldErrors?: unknown;
  /** The same. */
  Position?: unknown;
}

export interface Statistics {
  Principals: number;
  Users: number;
  Sessions: number;
  PendingRows: number;
  JobsQueued: number;
  JobsRunning: number;
  Hours: Span[];
  Days: Span[];
  Hashing: Hashing;
}

/** What became of one record. */
export interface Tuple {
  /** The ID of the principal. */
  Item1: number | null;
  /** Why it was not applied, as a code. */
  Item2: ErrorCode | null;
  /** Whether the record was applied. */
  Item3: boolean;
  /** Why it was not, for a person. */
  Item4: string | null;
  /** Every fault of the record, by place. */
  Item5: Record<string, FieldError[]>;
  /** Filled with Prefer: return=representation. */
  Item6: { Users?: AppliedUser[] };
}

/** Users to register under a principal, and passwords of its users to reset. */
export type UpdateRecord =
  | {
      ID: number;
      ExternalKey?: null;
      Users: (Registration | RegistrationWithHash | Reset)[];
      /** Of a failed record that is sent again; passed over. */
      FieldErrors?: unknown;
      /** The same. */
      Position?: unknown;
    }
  | {
      ID?: null;
      /** In place of the ID. */
      ExternalKey: string;
      Users: (Registration | RegistrationWithHash | Reset)[];
      /** Of a failed record that is sent again; passed over. */
      FieldErrors?: unknown;
      /** The same. */
      Position?: unknown;
    };

/** An account of a principal. */
export interface User {
  ID: number;
  Username: string;
  Email: string | null;
  Phone: string | null;
  State: State;
  CreatedAt: string;
  UpdatedAt: string;
  PasswordChangedAt: string;
  LastLoginAt: string | null;
}

export interface UserData {
  IRID: number;
  UserID: number;
  Username: string | null;
  Email: string | null;
}

export interface UserFilter {
  /** The username of one user. */
  Username?: string | null;
  /** The usernames of several users. Cannot be combined with `Username`. */
  Usernames?: string[] | null;
  /** What words of the texts, or the username, begin with. */
  Search?: string | null;
  Page?: number | null;
  PageSize?: number | null;
  /** What changed since: 2026-01-31 or 2026-01-31T08:00:00Z. */
  Date?: string | null;
  /** Of one principal. */
  ID?: number | null;
  /** Of one principal. */
  ExternalKey?: string | null;
}

/** An account, with the ID of its principal. */
export interface UserOfPrincipal extends User {
  /** Of its principal. */
  IRID: number;
}

export interface UserPasswordReset extends CloudEventAttributes {
  type: 'user.password_reset';
  data: UserData;
}

export interface UserRegistered extends CloudEventAttributes {
  type: 'user.registered';
  data: UserData;
}

export interface UserState {
  ID: number;
  State: State;
}

export interface UserStateChanged extends CloudEventAttributes {
  type: 'user.state_changed';
  data: UserStateData;
}

export interface UserStateData extends UserData {
  State: State;
}

export interface Webhook {
  ID: number;
  ClientID: number | null;
  URL: string;
  /** All where empty. */
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
  /** Https; http for the networks that a setting names. */
  URL?: string | null;
  Types?: EventType[] | EventType | null;
  Granularity?: Granularity | null;
}

export interface WebhookDisabled extends CloudEventAttributes {
  type: 'webhook.disabled';
  data: { WebhookID: number; URL: string };
}

export interface WebhookTest {
  /** The `webhook-id`. */
  ID: string;
  /** Whether the receiver took it, with any answer of 2xx. */
  Delivered: boolean;
  Status: number | null;
  /** Why there was no answer, or none that counts, as text in the language of the request. */
  Failure: string | null;
  FailureCode: DeliveryFailureCode | null;
  FailureDetails: DeliveryFailureDetails | null;
  /** The beginning of what the receiver answered last: text of anybody, never HTML to show. */
  Answer: string | null;
  Milliseconds: number;
}

export interface CloudEventAttributes {
  specversion: '1.0';
  /** What to give as `after` to read on from here. */
  id: string;
  source: string;
  subject?: string;
  time: string;
  datacontenttype: 'application/json';
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
  /** Who is signed in at the console. */
  consoleSession: { request: Record<string, never>; answer: Envelope<never, ConsoleSession> };
  /** Sign in at the console. */
  signInAtConsole: { request: { body: ConsoleKeys }; answer: Envelope<never, ConsoleSession> };
  /** Sign out of the console. */
  signOutAtConsole: { request: Record<string, never>; answer: Envelope<never, ConsoleSession> };
  /** Register users and reset passwords. */
  update: {
    request: { query?: { dryRun?: boolean | undefined }; body: UpdateRecord[] };
    answer: Envelope<Tuple, Estimate | null> | Envelope<Tuple, Job>;
  };
  /** Create principals, with or without users. */
  insert: {
    request: { query?: { dryRun?: boolean | undefined }; body: InsertRecord[] };
    answer: Envelope<Tuple, Estimate | null> | Envelope<Tuple, Job>;
  };
  /** Disable and enable principals and users. */
  state: {
    request: { query?: { dryRun?: boolean | undefined }; body: StateRecord[] };
    answer: Envelope<Tuple, Estimate | null> | Envelope<Tuple, Job>;
  };
  /** Read principals with their users. */
  list: { request: { body: PrincipalFilter }; answer: Envelope<Principal, null> };
  /** Read users. */
  users: { request: { body: UserFilter }; answer: Envelope<UserOfPrincipal, null> };
  /** List jobs, the newest first. */
  jobs: {
    request: { query?: { page?: number | undefined; pageSize?: number | undefined } };
    answer: Envelope<Job, null>;
  };
  /** How a job goes, and its tuples so far. */
  job: {
    request: {
      path: { id: string };
      query?: { page?: number | undefined; pageSize?: number | undefined; failed?: boolean | undefined };
    };
    answer: Envelope<Tuple, JobWithTuples>;
  };
  /** Cancel what has not begun. */
  cancelJob: { request: { path: { id: string } }; answer: Envelope<Tuple, Job> };
  /** The failed records, ready to be sent again. */
  failedRecords: { request: { path: { id: string } }; answer: FailedRecord[] };
  /** What happened, in order. */
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
  /** Sign a user in. */
  login: { request: { body: Credentials }; answer: Envelope<never, Login> };
  /** Exchange a refresh token for the next pair of tokens. */
  refresh: { request: { body: { RefreshToken: string } }; answer: Envelope<never, Login> };
  /** Sign out. */
  logout: { request: Record<string, never>; answer: Envelope<never, null> };
  /** The API clients, in the order of their creation. */
  clients: { request: Record<string, never>; answer: Envelope<Client, null> };
  /** Create an API client. */
  createClient: { request: { body: CreateClient }; answer: Envelope<never, NewClient> };
  /** Change a client, from its next call on. */
  changeClient: { request: { path: { publicKey: string }; body: ClientChange }; answer: Envelope<never, Client> };
  /** Shut a client out, from its next call on. */
  revokeClient: { request: { path: { publicKey: string } }; answer: Envelope<never, null> };
  /** Give a client a new secret. */
  rotateClient: {
    request: { path: { publicKey: string }; body: { Hours?: number | null } };
    answer: Envelope<never, NewSecret>;
  };
  /** Calls that were answered at once, the newest first. */
  completedCalls: {
    request: {
      query?: { page?: number | undefined; pageSize?: number | undefined; failed?: boolean | undefined };
    };
    answer: Envelope<CompletedCall, null>;
  };
  /** A call that was answered at once, and its tuples. */
  completedCall: {
    request: {
      path: { id: string };
      query?: { page?: number | undefined; pageSize?: number | undefined; failed?: boolean | undefined };
    };
    answer: Envelope<Tuple, CallWithTuples>;
  };
  /** The failed records of a call, ready to be sent again. */
  failedRecordsOfCall: { request: { path: { id: string } }; answer: FailedRecord[] };
  /** The records that were not applied, the newest first. */
  failures: {
    request: { query?: { page?: number | undefined; pageSize?: number | undefined } };
    answer: Envelope<Failure, null>;
  };
  /** The jobs of all clients, the newest first. */
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
  /** The journal, in order. */
  audit: {
    request: {
      query?: {
        order?: 'oldest' | 'newest' | undefined;
        after?: number | undefined;
        principal?: number | undefined;
        reads?: boolean | undefined;
        pageSize?: number | undefined;
      };
    };
    answer: Envelope<AuditRow, AuditPage>;
  };
  /** Whether the journal is as it was written. */
  verifyAudit: { request: Record<string, never>; answer: Envelope<never, AuditVerification> };
  /** List endpoints. */
  webhooks: { request: Record<string, never>; answer: Envelope<Webhook, null> };
  /** Have an endpoint told what happens from now on. */
  createWebhook: { request: { body: CreateWebhook }; answer: Envelope<never, NewWebhook> };
  /** Change an endpoint, disable it, or enable it again. */
  changeWebhook: { request: { path: { id: number }; body: WebhookChange }; answer: Envelope<never, Webhook> };
  /** Remove an endpoint. */
  deleteWebhook: { request: { path: { id: number } }; answer: Envelope<never, null> };
  /** Send an endpoint one message to try it. */
  testWebhook: { request: { path: { id: number } }; answer: Envelope<never, WebhookTest> };
  /** Give an endpoint a new secret. */
  rotateWebhook: {
    request: { path: { id: number }; body: { Hours?: number | null } };
    answer: Envelope<never, NewWebhookSecret>;
  };
  /** What was told to an endpoint, the newest first. */
  deliveries: {
    request: {
      path: { id: number };
      query?: { page?: number | undefined; pageSize?: number | undefined; failed?: boolean | undefined };
    };
    answer: Envelope<Delivery, Webhook>;
  };
  /** One message, with what was sent and what came back. */
  delivery: { request: { path: { id: number; delivery: string } }; answer: Envelope<never, DeliveryDetails> };
  /** Send again all that failed. */
  replayFailed: { request: { path: { id: number } }; answer: Envelope<never, Replayed> };
  /** Send one message again. */
  replay: { request: { path: { id: number; delivery: string } }; answer: Envelope<never, Replayed> };
  /** How much there is, and how much was done lately. */
  statistics: { request: Record<string, never>; answer: Envelope<never, Statistics> };
}

/** Where every call goes. */
export const routes = {
  consoleSession: { method: 'GET', path: '/console/session' },
  signInAtConsole: { method: 'POST', path: '/console/session' },
  signOutAtConsole: { method: 'DELETE', path: '/console/session' },
  update: { method: 'POST', path: '/api/sync/v1/irs/update' },
  insert: { method: 'POST', path: '/api/sync/v1/irs/insert' },
  state: { method: 'POST', path: '/api/sync/v1/irs/state' },
  list: { method: 'POST', path: '/api/sync/v1/irs/list' },
  users: { method: 'POST', path: '/api/sync/v1/irs/users' },
  jobs: { method: 'GET', path: '/api/sync/v1/jobs' },
  job: { method: 'GET', path: '/api/sync/v1/jobs/{id}' },
  cancelJob: { method: 'DELETE', path: '/api/sync/v1/jobs/{id}' },
  failedRecords: { method: 'GET', path: '/api/sync/v1/jobs/{id}/failed' },
  events: { method: 'GET', path: '/api/sync/v1/events' },
  login: { method: 'POST', path: '/api/sync/v1/login' },
  refresh: { method: 'POST', path: '/api/sync/v1/login/refresh' },
  logout: { method: 'POST', path: '/api/sync/v1/logout' },
  clients: { method: 'GET', path: '/admin/v1/clients' },
  createClient: { method: 'POST', path: '/admin/v1/clients' },
  changeClient: { method: 'PATCH', path: '/admin/v1/clients/{publicKey}' },
  revokeClient: { method: 'DELETE', path: '/admin/v1/clients/{publicKey}' },
  rotateClient: { method: 'POST', path: '/admin/v1/clients/{publicKey}/rotate' },
  completedCalls: { method: 'GET', path: '/admin/v1/calls' },
  completedCall: { method: 'GET', path: '/admin/v1/calls/{id}' },
  failedRecordsOfCall: { method: 'GET', path: '/admin/v1/calls/{id}/failed' },
  failures: { method: 'GET', path: '/admin/v1/failures' },
  allJobs: { method: 'GET', path: '/admin/v1/jobs' },
  audit: { method: 'GET', path: '/admin/v1/audit' },
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
} as const satisfies Record<keyof Operations, { method: string; path: string }>;

/** The descriptive fields of a principal. */
export const principalFields = {
  ExternalKey: { format: 'text', maxLength: 128, headings: ['Codice cliente', 'Chiave esterna', 'Customer code'] },
  Denomination: { format: 'text', maxLength: 255, headings: ['Ragione sociale', 'Denominazione', 'Company', 'Company name', 'Azienda'] },
  Surname: { format: 'text', maxLength: 255, headings: ['Cognome', 'Last name'] },
  Name: { format: 'text', maxLength: 255, headings: ['Nome', 'First name'] },
  Vatnumber: { format: 'text', maxLength: 64, headings: ['Partita IVA', 'P.IVA', 'VAT'] },
  Taxcode: { format: 'text', maxLength: 64, headings: ['Codice fiscale'] },
  Email: { format: 'email', maxLength: 254, headings: ['Email azienda', 'Company email'] },
} as const;

/** The descriptive fields of a user. */
export const userFields = {
  Email: { format: 'email', maxLength: 254, headings: ['Posta elettronica', 'Mail', 'Email address', 'Indirizzo email'] },
  Phone: { format: 'text', maxLength: 64, headings: ['Telefono', 'Phone number', 'Cellulare'] },
} as const;
