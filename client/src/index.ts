export type {
  Admin,
  AllJobsOptions,
  CallTupleOptions,
  Clients,
  CompletedCallOptions,
  DeliveryOptions,
  Mails,
  Webhooks,
} from './admin.ts';
export { Anagrafe } from './anagrafe.ts';
export type * from './api.gen.ts';
export { principalFields, userFields } from './api.gen.ts';
export type { Audit, AuditOptions, ChangeOptions } from './audit.ts';
export type { Console } from './console.ts';
export {
  AnagrafeError,
  type AnagrafeErrorCode,
  ApiError,
  ConnectionError,
  RecordError,
  TimeoutError,
  UnexpectedAnswerError,
  WebhookError,
  type WebhookErrorCode,
} from './errors.ts';
export type { JobOptions, Jobs, TupleOptions, WaitOptions } from './jobs.ts';
export type {
  CursorList,
  CursorListOptions,
  CursorPage,
  EventOptions,
  ExportFilter,
  ExportFormat,
  FollowOptions,
  PagedList,
  RecordExport,
} from './lists.ts';
export type { Operators } from './operators.ts';
export type { AnagrafeOptions, CallOptions, Fetch, PageOptions } from './options.ts';
export type { OwnSessions } from './own-sessions.ts';
export type { Passwords } from './passwords.ts';
export type {
  NewPassword,
  NewUser,
  PasswordReset,
  PrincipalEdit,
  PrincipalReference,
  SignedInUser,
  UserEdit,
  UserReference,
} from './principal.ts';
export type { Runs, UndoOptions, UndoPlanOptions } from './runs.ts';
export type { Sessions } from './user-sessions.ts';
export { type GroupedEvent, verifyWebhook, type WebhookEvent } from './webhook.ts';
export {
  type InsertOptions,
  type InsertRules,
  type KeyOptions,
  type MergeOptions,
  newIdempotencyKey,
  newRun,
  type RecordsOf,
  type UpsertOptions,
  type UpsertResult,
  type UpsertRules,
  type WriteOptions,
  type WriteResult,
} from './writes.ts';
