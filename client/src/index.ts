export type {
  Admin,
  AllJobsOptions,
  Audit,
  AuditOptions,
  CallTupleOptions,
  Clients,
  CompletedCallOptions,
  DeliveryOptions,
  Webhooks,
} from './admin.ts';
export { Anagrafe, type Console, type EventOptions } from './anagrafe.ts';
export type * from './api.gen.ts';
export { principalFields, userFields } from './api.gen.ts';
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
export type { CursorList, CursorListOptions, CursorPage, FollowOptions, PagedList } from './lists.ts';
export type { AnagrafeOptions, CallOptions, Fetch, PageOptions } from './options.ts';
export { type GroupedEvent, verifyWebhook, type WebhookEvent } from './webhook.ts';
export {
  type KeyOptions,
  type NewPassword,
  type NewUser,
  newIdempotencyKey,
  type RecordsOf,
  type SignedInUser,
  type WriteOptions,
  type WriteResult,
} from './writes.ts';
