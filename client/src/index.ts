export type { Admin, AllJobsOptions, CallTupleOptions, CompletedCallOptions } from './admin/admin.ts';
export type { Audit, AuditOptions } from './admin/audit.ts';
export type { Clients } from './admin/clients.ts';
export type { DeliveryOptions, Webhooks } from './admin/webhooks.ts';
export { Anagrafe, type EventOptions } from './anagrafe.ts';
export type * from './api.gen.ts';
export type { Console } from './console.ts';
export {
  AnagrafeError,
  ApiError,
  ConnectionError,
  type FailureCode,
  RecordError,
  TimeoutError,
  UnexpectedAnswerError,
  WebhookError,
  type WebhookFault,
} from './errors.ts';
export type { JobOptions, Jobs, TupleOptions, WaitOptions } from './jobs.ts';
export type { NewPassword, NewUser, SignedInUser } from './one-principal.ts';
export type { AnagrafeOptions, CallOptions, Fetch, PageOptions } from './options.ts';
export type { Pages } from './pages.ts';
export type { FollowOptions, Sequence, SequenceOptions, Stretch } from './sequence.ts';
export { type GroupedEvent, verifyWebhook, type WebhookEvent } from './webhook.ts';
export type { KeyOptions, RecordsOf, WriteOptions, WriteResult } from './writes.ts';
